// SPDX-License-Identifier: BSD-3-Clause
/// In a simulation the host's clocks are the simulated one: what a program compares with MPI_Wtime, and what it waits
/// for, is to go by the same time. Included before everything else. SMPI has a header for that too, but it replaces
/// malloc, free and exit as well.
#pragma once

#include <time.h>

#include <smpi/smpi_helpers_internal.h>

#define clock_gettime(clock, time) smpi_clock_gettime(clock, time)
#define nanosleep(time, left) smpi_nanosleep(time, left)
