// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: one run of the benchmark, from the first message to the last file.
#pragma once

#include "b_eff/options.hpp"
#include "program/runtime/session.hpp"

#include <chrono>

namespace b_eff {

/// Runs the benchmark. Collective. \param started  start time of the program \throws the errors that end a run
void measure_all(Setup const& setup, program::Session& session, std::chrono::steady_clock::time_point started);

/// Writes the planned measurements, as text and as the run line of a record. Collective.
/// \param supposed  the processes of the setup do not exist in this world
void list_all(Setup const& setup, program::Session& session, bool supposed);

}  // namespace b_eff
