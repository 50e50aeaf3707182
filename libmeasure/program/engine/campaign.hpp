// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the benchmarks of a program, from options to record and table.
#pragma once

#include "program/engine/program_options.hpp"
#include "program/runtime/session.hpp"

#include <measure/main.hpp>

namespace program::engine {

/// Measures, or lists, what the options ask for. Collective over the world.
/// \throws measure::UsageError for options that do not fit this world, before anything is measured
void run(measure::Program const& program, Options const& options, program::Session& session);

}  // namespace program::engine
