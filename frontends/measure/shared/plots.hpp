// SPDX-License-Identifier: BSD-3-Clause
/// Plots: families of curves as plots, and a point's numbers as cells of a table. Pure, local.
#pragma once

#include "analysis/runs/series.hpp"
#include "page/document.hpp"
#include "page/plot.hpp"

#include <measure/record.hpp>

#include <string>
#include <vector>

namespace measure::tool {

/// Value, unit, error, interval: cells of a row.
void add_numbers(measure::Record const& record, std::vector<page::Cell>& row);

/// The family's values with their intervals. Axes are logarithmic where the numbers are far apart.
[[nodiscard]] page::Plot plot_of(Family const& family);

/// Size over time of a family of times over `bytes`; no curves for another one. What was moved may be a multiple of
/// that: a benchmark's own size is what its documentation says.
[[nodiscard]] page::Plot size_over_time(Family const& family);

/// How many intervals end beyond what a plot's axis shows; empty where none does.
[[nodiscard]] std::string cut_intervals_text(page::Plot const& plot);

}  // namespace measure::tool
