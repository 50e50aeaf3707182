// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: one launch of the program: directory, files, all partitions, results.
#pragma once

#include "b_eff_io/options.hpp"
#include "program/runtime/session.hpp"

namespace b_eff_io {

/// Measures all partitions. The access methods are the outermost loop, so that a file is read only after the other
/// files were written. Collective. \throws measure::UsageError
void measure_all(Options const& options, program::Session& session);

/// Removes leftovers of earlier runs. Collective. \throws measure::UsageError
void clean_up(Options const& options, program::Session& session);

/// Prints patterns and partitions. Collective. \throws measure::UsageError
void list(Options const& options, program::Session& session);

}  // namespace b_eff_io
