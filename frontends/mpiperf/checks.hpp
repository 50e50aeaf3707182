// SPDX-License-Identifier: BSD-3-Clause
/// Checks: of the timer (-j), and of timer and synchronisation together by waits of known duration (--check).
#pragma once

#include "mpiperf/options.hpp"
#include "program/runtime/session.hpp"

namespace mpiperf {

/// Checks the timer on every rank and prints the verdicts; a failure is noted in the session. Collective.
void check_timer(program::Session& session);

/// Measures every test of known duration over 1, 2, 4, .. and all ranks, with every timer asked for, and prints
/// expected beside measured; a failure is noted in the session. Collective.
void check_waits(Options const& options, program::Session& session);

}  // namespace mpiperf
