// SPDX-License-Identifier: BSD-3-Clause
/// The engine: measures what a program consists of: timer, clock, record, points, table, end.
///
///     options -> Program -> run: timer, clock -> Session::begin -> head
///                                 -> for each benchmark, or group of compared ones: begin, sweep (rows), end
///                                 -> residual of the clocks, summaries
///
/// `measure::run_main` and the bundled suites are the same thing here: a suite's options make a Program.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/main.hpp>

#include <optional>
#include <ostream>
#include <string>

namespace program {

/// What a suite says of a run beside its Program.
struct RunContext {
    measure::Value options = measure::Value::Object{};  ///< as resolved, for the record; common options are added
    /// How clocks are synchronised where the start needs none, so that spans are known; nothing: not at all.
    std::optional<measure::Sync> sync{};
    std::optional<int> retries{};    ///< in place of --retry
    std::int64_t points_beside = 0;  ///< that the suite writes itself, for the progress
    std::ostream* out = nullptr;     ///< where the page goes; nullptr: the session's text
};

/// Prints the points of a program, each with its benchmark's name, and measures nothing.
void list(measure::Program const& program, Session& session);

/// Measures the program. The plan's timer is the session's, unless it is one that the library does not know by name;
/// its control is the session's, but for the hooks of epochs and stages. Collective over the world.
void run(measure::Program const& program, RunContext const& context, Session& session);

/// Whether a plan's timer is one of its own.
[[nodiscard]] bool has_own_timer(measure::Plan const& plan);

/// The synchroniser that a start has; nothing for one that needs no clock.
[[nodiscard]] std::optional<measure::Sync> sync_of(measure::Start const& start);

/// The start's name in the record, `auto` resolved to what it will be.
[[nodiscard]] std::string start_name(measure::Start const& start, bool oversubscribed);

}  // namespace program
