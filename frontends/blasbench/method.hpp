// SPDX-License-Identifier: BSD-3-Clause
/// Method: what a setup measures, as the engine has it: short blocks of calls in a free loop, libraries and
/// numbers of threads in turns.
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

/// What the points of a run share.
struct Shared {
    Setup const& setup;
    std::span<Blas const> libraries;
    std::string damaged{};                   ///< name of the routine whose results are spoilt, for tests
    measure::TimerInfo timer{};              ///< what the timer is worth
    std::optional<llcbench::Flush> flush{};  ///< made once the run has begun
    std::optional<Arena> arena{};            ///< of the series that is measured
    Series const* series = nullptr;          ///< which one that is
};

/// When there are blocks enough: at least three, and so many calls; with a standard error also at that.
[[nodiscard]] measure::StoppingRule stopping(Rules const& rules, std::int64_t calls);

/// The plan of all points, but for their number of calls.
[[nodiscard]] measure::Plan plan(Rules const& rules);

/// Calls of each problem of a series, in its order.
[[nodiscard]] std::vector<std::int64_t> calls_of(Series const& series, Rules const& rules);

/// What of a point is not in its coordinates. \param record  or another thing at that place
[[nodiscard]] Facts facts_of(Shared const& shared, Series const& series, measure::Point const& at);

/// The series of a setup, each with all libraries. `shared` outlives what is returned.
[[nodiscard]] measure::Program program_of(Shared& shared);

}  // namespace blasbench
