// SPDX-License-Identifier: BSD-3-Clause
/// Method: translates a setup into a program of the engine. Short blocks of calls in a free loop; libraries and numbers
/// of threads take turns.
#pragma once

#include "blasbench/blas.hpp"
#include "blasbench/operation.hpp"
#include "blasbench/options.hpp"
#include "blasbench/result.hpp"
#include "llcbench/flush.hpp"

#include <measure/main.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace blasbench {

/// State shared by all points of a run.
struct Shared {
    Setup const& setup;
    std::span<Blas const> libraries;
    std::string damaged{};                   ///< name of the routine whose results are corrupted, for tests
    measure::TimerInfo timer{};              ///< resolution and overhead of the timer
    std::optional<llcbench::Flush> flush{};  ///< created when the run begins
    std::optional<Arena> arena{};            ///< operands of the current series
    Series const* series = nullptr;          ///< the current series
};

/// The stopping rule of a point: at least three blocks and `calls` calls, plus the standard error if one is required.
[[nodiscard]] measure::StoppingRule stopping(Rules const& rules, std::int64_t calls);

/// The common plan of all points. Each point adds its number of calls.
[[nodiscard]] measure::Plan plan(Rules const& rules);

/// Number of calls of each problem of a series, in the order of its sizes.
[[nodiscard]] std::vector<std::int64_t> calls_of(Series const& series, Rules const& rules);

/// The facts about a point that its coordinates do not contain.
[[nodiscard]] Facts facts_of(Shared const& shared, Series const& series, measure::Point const& at);

/// All series of a setup, each measured with all libraries. `shared` must outlive the program.
[[nodiscard]] measure::Program program_of(Shared& shared);

}  // namespace blasbench
