// SPDX-License-Identifier: BSD-3-Clause
/// Method: what a setup measures, as the engine has it: blocks of passes until a time or an error, in a free loop.
#pragma once

#include "cachebench/operation.hpp"
#include "cachebench/options.hpp"
#include "cachebench/vectors.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/results.hpp"
#include "program/runtime/session.hpp"

#include <measure/main.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace cachebench {

/// What the points of a run share.
struct Shared {
    Setup const& setup;
    std::uint64_t seed = 1;
    std::string damaged{};                   ///< name of the test whose data are spoilt, for tests
    measure::seconds resolution{};           ///< of the timer, or the cost of a reading where that is more
    std::optional<double> frequency{};       ///< cycles of the core per second, where known
    std::optional<llcbench::Flush> flush{};  ///< made once the run has begun, as is the arena
    std::optional<Arena> arena{};            ///< not with copies, which have their own
};

/// When there are blocks enough: after a time, or before it at an error, but not with less than three.
[[nodiscard]] measure::StoppingRule stopping(Rules const& rules);

/// The plan of all points, but for what depends on the timer: see `prepare`.
[[nodiscard]] measure::Plan plan(Rules const& rules);

/// Blocks that a given number of passes is measured in: at least three, none longer than `longest`, of the same number
/// of passes each. Where the passes cannot be shared out so, as few as there must be.
[[nodiscard]] std::int64_t constant_blocks(std::int64_t passes, std::int64_t longest) noexcept;

/// Blocks of 1 to 2.5 ms, or of 1000 to 2500 steps of the timer where that is more.
void choose_blocks(measure::Plan& plan, Rules const& rules, measure::seconds resolution);

/// The tests of a setup. `shared` outlives what is returned.
[[nodiscard]] measure::Program program_of(Shared& shared);

/// The record of a measurement, as --json and the table have it.
[[nodiscard]] measure::Record finished(Shared const& shared, Test const& test, measure::Record record);

}  // namespace cachebench
