// SPDX-License-Identifier: BSD-3-Clause
/// The flag by which a library that intercepts MPI's functions tells measured calls from all others.
#pragma once

extern "C" {

/// 1 during each run of a test, warm-up included; 0 otherwise: in preparation, synchronisation, barriers before a run,
/// and decisions. It is written before the opening and after the closing stamp; between a stamp and the write there is
/// one call, and nothing of MPI. The program exports it, so that a library can be linked or preloaded:
///
///     extern int mpiperf_is_measure_started __attribute__((weak));
extern int mpiperf_is_measure_started;
}
