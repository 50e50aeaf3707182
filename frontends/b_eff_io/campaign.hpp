// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: one start of the program: directory, files, all partitions, results.
#pragma once

#include "b_eff_io/options.hpp"
#include "program/runtime/session.hpp"

namespace b_eff_io {

/// Measures all partitions: the access methods outermost, so that the data of the others lies between writing and
/// reading a file. Collective. \throws measure::UsageError
void measure_all(Options const& options, program::Session& session);

/// Removes what earlier runs have left. Collective. \throws measure::UsageError
void clean_up(Options const& options, program::Session& session);

/// Prints patterns and partitions. Collective. \throws measure::UsageError
void list(Options const& options, program::Session& session);

}  // namespace b_eff_io
