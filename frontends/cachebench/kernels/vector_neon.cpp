// SPDX-License-Identifier: BSD-3-Clause
#define CACHEBENCH_FLAVOUR neon
#define CACHEBENCH_VECTOR 16
#include "cachebench/kernels/vector.hpp"
