// SPDX-License-Identifier: BSD-3-Clause
#define MPIPERF_ISA baseline
#define MPIPERF_VECTOR 16
#include "mpiperf/operations/memory_loops.hpp"
