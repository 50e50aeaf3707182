// SPDX-License-Identifier: BSD-3-Clause
#define MPIPERF_ISA avx512
#define MPIPERF_VECTOR 64
#include "mpiperf/operations/memory_loops.hpp"
