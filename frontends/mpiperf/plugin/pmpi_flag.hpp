// SPDX-License-Identifier: BSD-3-Clause
/// The flag by which a library that intercepts MPI functions distinguishes measured calls from all others.
#pragma once

extern "C" {

/// 1 during each run of a test, including warm-up; 0 otherwise: in preparation, synchronisation, barriers before a
/// run, and decisions. It is set before the opening stamp and cleared after the closing stamp. Between a stamp and the
/// write there is one function call, but no MPI call. The program exports the flag, so that a library can be linked or
/// preloaded:
///
///     extern int mpiperf_is_measure_started __attribute__((weak));
extern int mpiperf_is_measure_started;
}
