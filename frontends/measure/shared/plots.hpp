// SPDX-License-Identifier: BSD-3-Clause
/// Plots: families of curves as plots, and the numbers of a point as table cells. Pure, local.
#pragma once

#include "analysis/runs/series.hpp"
#include "page/document.hpp"
#include "page/plot.hpp"

#include <measure/record.hpp>

#include <string>
#include <vector>

namespace measure::tool {

/// Appends the cells value, unit, error and interval to a row.
void add_numbers(measure::Record const& record, std::vector<page::Cell>& row);

/// The values of a family with their intervals. An axis is logarithmic if its largest value is at least ten times the
/// smallest.
[[nodiscard]] page::Plot plot_of(Family const& family);

/// Size / time of a family of times over `bytes`; no curves for any other family. The moved data may be a multiple of
/// the size: the documentation of a benchmark defines its size.
[[nodiscard]] page::Plot size_over_time(Family const& family);

/// A note on the number of intervals that exceed the axis of a plot; empty if there are none.
[[nodiscard]] std::string cut_intervals_text(page::Plot const& plot);

}  // namespace measure::tool
