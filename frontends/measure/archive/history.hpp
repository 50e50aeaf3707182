// SPDX-License-Identifier: BSD-3-Clause
/// History: how the values of a benchmark changed over time. Pure, local.
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

/// Plots values over the date of their launch, with one curve for each configuration, for at most three points of the
/// benchmark: the first, the middle and the last of the points that were measured at several times. Runs that match are
/// joined into one value.
///
/// A value is marked if `measure compare` finds it different from the previous one and a change of the controls cannot
/// explain this (`judge_by_controls`). If either value comes from a single launch, no difference is found.
/// \param configurations  at most the number of curves that a plot can hold
[[nodiscard]] std::vector<HistoryPlot> history_of(std::span<Configuration const> configurations,
                                                  std::string_view benchmark);

}  // namespace measure::tool::archive
