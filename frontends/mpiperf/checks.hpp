// SPDX-License-Identifier: BSD-3-Clause
/// Checks of the timer (-j), and of timer and synchronisation together with waits of known duration (--check).
#pragma once

#include "mpiperf/options.hpp"
#include "program/runtime/session.hpp"

namespace mpiperf {

/// Checks the timer on every rank and prints the verdicts. Sets exit code 3 if a check fails. Collective.
void check_timer(program::Session& session);

/// Measures every test of known duration on 1, 2, 4, .. and all ranks with each selected timer, and prints expected
/// next to measured times. Sets exit code 3 if one is wrong. Collective.
void check_waits(Options const& options, program::Session& session);

}  // namespace mpiperf
