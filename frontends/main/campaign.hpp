// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the benchmarks of a program, from options to record and table.
#pragma once

#include "frontend/session.hpp"
#include "options.hpp"

#include <measure/main.hpp>

namespace own {

/// Measures, or lists, what the options ask for. Collective over the world.
/// \throws measure::UsageError for options that do not fit this world, before anything is measured
void run(measure::Program const& program, Options const& options, frontend::Session& session);

}  // namespace own
