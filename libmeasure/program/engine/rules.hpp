// SPDX-License-Identifier: BSD-3-Clause
/// Rules: program and options to plan, axes and groups of benchmarks. Pure but for `plan`.
#pragma once

#include "program/engine/program_options.hpp"
#include "program/runtime/session.hpp"

#include <measure/clock_sync.hpp>
#include <measure/main.hpp>
#include <measure/plan.hpp>
#include <measure/schedule.hpp>

#include <optional>
#include <string>
#include <vector>

namespace program::engine {

/// Whether the plan's timer is not one that the library knows by name.
[[nodiscard]] bool has_own_timer(measure::Program const& program);

/// How a start synchronises clocks; nothing for one that does not.
[[nodiscard]] std::optional<measure::Sync> sync_of(measure::Start const& start);

/// The axes of this run, with the size of the world where "ranks" is not given.
/// \throws measure::UsageError for more ranks than there are, unless points are only listed
[[nodiscard]] std::vector<measure::Axis> axes(Options const& options, int world, bool only_listed);

/// Benchmarks that are measured together at each point, the reference first; otherwise each for itself.
using Group = std::vector<measure::Benchmark const*>;
/// \throws measure::UsageError for an unknown name
[[nodiscard]] std::vector<Group> groups(measure::Program const& program, std::vector<std::string> const& names);

/// \throws measure::UsageError for an axis that cannot be refined, and for --shuffle beside
[[nodiscard]] std::optional<measure::Refinement> refinement(measure::Program const& program, Options const& options,
                                                            std::vector<measure::Axis> const& axes, bool shuffle);

/// The start asked for.
[[nodiscard]] measure::Start start(measure::Program const& program, Options const& options,
                                   program::CommonOptions const& common);
/// Its name, `auto` resolved to what it will be.
[[nodiscard]] std::string start_name(measure::Start const& start, bool oversubscribed);
/// How clocks are synchronised, for spans where the start needs none; nothing for a free start.
[[nodiscard]] std::optional<measure::Sync> sync(measure::Start const& start, program::CommonOptions const& common);

/// The plan of all points, without clock and control. Collective over the world: makes the timer.
[[nodiscard]] measure::Plan plan(measure::Program const& program, Options const& options, program::Session& session);

/// The resolved options for the record.
[[nodiscard]] measure::Value describe(std::vector<Group> const& groups, std::vector<measure::Axis> const& axes,
                                      std::optional<measure::Refinement> const& refine, std::string const& start,
                                      std::optional<measure::Sync> const& sync);

}  // namespace program::engine
