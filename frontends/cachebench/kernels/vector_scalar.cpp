// SPDX-License-Identifier: BSD-3-Clause
#define CACHEBENCH_FLAVOUR scalar
#define CACHEBENCH_VECTOR 0
#include "cachebench/kernels/vector.hpp"
