// SPDX-License-Identifier: BSD-3-Clause
#define CACHEBENCH_FLAVOUR avx2
#define CACHEBENCH_VECTOR 32
#include "cachebench/kernels/vector.hpp"
