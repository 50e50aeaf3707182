// SPDX-License-Identifier: BSD-3-Clause
/// Replaces the host's clocks by the simulated clock, so that times and waits of a program agree with MPI_Wtime.
/// Included before all other headers. SMPI has a similar header, but it also replaces malloc, free and exit.
#pragma once

#include <time.h>

#include <smpi/smpi_helpers_internal.h>

#define clock_gettime(clock, time) smpi_clock_gettime(clock, time)
#define nanosleep(time, left) smpi_nanosleep(time, left)
