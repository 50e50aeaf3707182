// SPDX-License-Identifier: BSD-3-Clause
#define CACHEBENCH_FLAVOUR avx512
#define CACHEBENCH_VECTOR 64
#include "cachebench/kernels/vector.hpp"
