// SPDX-License-Identifier: BSD-3-Clause
/// The engine: runs a program from timer and clock over its points to table and record.
///
///     options -> Program -> run: timer, clock -> Session::begin -> head
///                                 -> for each benchmark, or group of compared ones: begin, sweep (rows), end
///                                 -> residual of the clocks, summaries
///
/// `measure::run_main` and the bundled suites both use it: a suite builds a Program from its options.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/main.hpp>

#include <optional>
#include <ostream>
#include <string>

namespace program {

/// Settings of a run that are not part of its Program.
struct RunContext {
    measure::Value options = measure::Value::Object{};  ///< resolved options for the record; common ones are added
    /// Clock synchronisation for spans, also if the start does not need a clock. Empty: no synchronisation.
    std::optional<measure::Sync> sync{};
    std::optional<int> retries{};    ///< replaces --retry
    std::int64_t points_beside = 0;  ///< number of points that the suite writes itself; counted in the progress
    std::ostream* out = nullptr;     ///< stream of the page; nullptr: the session's text
};

/// Prints the points of a program, each with its benchmark's name, without measuring.
void list(measure::Program const& program, Session& session);

/// Measures the program, or lists its points with --list. Uses the session's timer, unless the plan has a timer that
/// the library does not know by name. Uses the session's control, but keeps the plan's hooks for epochs and stages.
/// Collective over the world.
void run(measure::Program const& program, RunContext const& context, Session& session);

/// Whether the library does not know the plan's timer by name.
[[nodiscard]] bool has_own_timer(measure::Plan const& plan);

/// The synchroniser of a start; empty for a start that does not need a clock.
[[nodiscard]] std::optional<measure::Sync> sync_of(measure::Start const& start);

/// The start's name in the record. `auto` is resolved: roundtime if oversubscribed, otherwise slot.
[[nodiscard]] std::string start_name(measure::Start const& start, bool oversubscribed);

}  // namespace program
