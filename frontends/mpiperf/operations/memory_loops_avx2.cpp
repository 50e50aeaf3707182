// SPDX-License-Identifier: BSD-3-Clause
#define MPIPERF_ISA avx2
#define MPIPERF_VECTOR 32
#include "mpiperf/operations/memory_loops.hpp"
