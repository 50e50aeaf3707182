// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: a start of a program: its blocks and sizes as the engine's benchmarks.
#pragma once

#include "osu/options.hpp"
#include "program/runtime/session.hpp"

namespace osu {

/// Measures or lists the points of a program. Collective over the world. \throws measure::UsageError
void measure_program(Row const& row, Options const& options, program::Session& session);

}  // namespace osu
