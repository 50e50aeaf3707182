// SPDX-License-Identifier: BSD-3-Clause
/// History: how a benchmark's values went over the years. Pure, local.
#pragma once

#include "archive/benchmark_page.hpp"
#include "page/plot.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

struct HistoryPlot {
    page::Plot plot{};
    std::string title{};
};

/// Values over the date of their start, with a curve for each configuration, of at most three points of the benchmark:
/// the first, the middle and the last of those that were measured at several times. Runs that are alike are one value.
/// A value that `measure compare` calls different from the one before is marked, unless a change of the controls can
/// explain it (`judge_by_controls`); where either is of a single launch it calls nothing different. \param
/// configurations  at most as many as a plot has room for
[[nodiscard]] std::vector<HistoryPlot> history_of(std::span<Configuration const> configurations,
                                                  std::string_view benchmark);

}  // namespace measure::tool::archive
