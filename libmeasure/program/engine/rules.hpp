// SPDX-License-Identifier: BSD-3-Clause
/// Rules: applies the command line to a program. Pure.
#pragma once

#include "program/engine/campaign.hpp"
#include "program/engine/program_options.hpp"

#include <measure/main.hpp>

namespace program::engine {

/// The program with the benchmarks, axes, plan and refinement that the command line selects. "ranks" is the size of the
/// world unless it is given.
/// \throws measure::UsageError for an unknown benchmark, a compared benchmark with its own points, more ranks than the
///         world has (unless points are only listed), an axis that cannot be refined, and --shuffle with refinement
[[nodiscard]] measure::Program chosen(measure::Program const& program, Options const& options,
                                      CommonOptions const& common, int world);

/// The settings of the engine for a chosen program.
[[nodiscard]] RunContext context(measure::Program const& chosen, CommonOptions const& common, bool oversubscribed);

}  // namespace program::engine
