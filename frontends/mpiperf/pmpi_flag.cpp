// SPDX-License-Identifier: BSD-3-Clause
#include "measuring.hpp"

int mpiperf_is_measure_started = 0;
