// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: one run of the benchmark, from the first message to the last file.
#pragma once

#include "b_eff/options.hpp"
#include "program/runtime/session.hpp"

#include <chrono>

namespace b_eff {

/// Collective. \param started  when the program began \throws what ends a run
void measure_all(Setup const& setup, program::Session& session, std::chrono::steady_clock::time_point started);

/// What would be measured, as text and as the run line of a record. Collective.
/// \param supposed  a world of that many processes is not there
void list_all(Setup const& setup, program::Session& session, bool supposed);

}  // namespace b_eff
