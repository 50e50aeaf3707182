// SPDX-License-Identifier: BSD-3-Clause
/// Method: translates a setup into a program of the engine: blocks of passes in a free loop, until a time or an error
/// is reached.
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

/// State shared by all points of a run.
struct Shared {
    Setup const& setup;
    std::uint64_t seed = 1;
    std::string damaged{};                   ///< name of the test whose data are corrupted, for tests
    measure::seconds resolution{};           ///< the timer's resolution or the cost of a reading, whichever is larger
    std::optional<double> frequency{};       ///< cycles per second of the core, if known
    std::optional<llcbench::Flush> flush{};  ///< created when the run begins, like the arena
    std::optional<Arena> arena{};            ///< unused with copies, which have their own arenas
};

/// The stopping rule of a point: at least three blocks, until the time is over or the error is reached.
[[nodiscard]] measure::StoppingRule stopping(Rules const& rules);

/// The plan of all points, without the settings that depend on the timer; see `choose_blocks`.
[[nodiscard]] measure::Plan plan(Rules const& rules);

/// Number of blocks for a given number of passes: at least three equal blocks of at most `longest` passes each. If the
/// passes cannot be divided evenly, the smallest number of blocks that respects `longest`.
[[nodiscard]] std::int64_t constant_blocks(std::int64_t passes, std::int64_t longest) noexcept;

/// Sets the length of the blocks to 1 to 2.5 ms, or to 1000 to 2500 times `resolution` if that is longer.
void choose_blocks(measure::Plan& plan, Rules const& rules, measure::seconds resolution);

/// All tests of a setup. `shared` must outlive the program.
[[nodiscard]] measure::Program program_of(Shared& shared);

/// Converts the record of a measurement to the form of --json and the table.
[[nodiscard]] measure::Record finished(Shared const& shared, Test const& test, measure::Record record);

}  // namespace cachebench
