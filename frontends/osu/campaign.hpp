// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: runs one program, with its blocks and sizes as benchmarks of the engine.
#pragma once

#include "osu/options.hpp"
#include "program/cli/options.hpp"
#include "program/runtime/main.hpp"
#include "program/runtime/session.hpp"

namespace osu {

/// Makes the same checks of options as `measure_program`, except for grids and hosts. Pure.
/// \throws measure::UsageError
void check_program(Row const& row, Options const& options, program::CommonOptions const& common,
                   program::Supposed const& supposed);

/// Measures or lists the points of a program. Collective over the world. \throws measure::UsageError
void measure_program(Row const& row, Options const& options, program::Session& session);

}  // namespace osu
