// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/plugin/pmpi_flag.hpp"

int mpiperf_is_measure_started = 0;
