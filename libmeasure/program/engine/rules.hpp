// SPDX-License-Identifier: BSD-3-Clause
/// Rules: a program and its command line to what this run measures. Pure.
#pragma once

#include "program/engine/campaign.hpp"
#include "program/engine/program_options.hpp"

#include <measure/main.hpp>

namespace program::engine {

/// The program with the benchmarks, axes, plan and refinement that the command line asks for. The size of the world
/// stands for "ranks" where it is not given.
/// \throws measure::UsageError for an unknown benchmark, for one that is compared and has points of its own, for more
///         ranks than there are (unless points are only listed), for an axis that cannot be refined, and for --shuffle
///         beside refinement
[[nodiscard]] measure::Program chosen(measure::Program const& program, Options const& options,
                                      CommonOptions const& common, int world);

/// What the engine is told beside a chosen program.
[[nodiscard]] RunContext context(measure::Program const& chosen, CommonOptions const& common, bool oversubscribed);

}  // namespace program::engine
