// SPDX-License-Identifier: BSD-3-Clause
/// Axes: ranges, scales and tics of a plot's axes as gnuplot's commands. Pure and local.
#pragma once

#include "page/plot.hpp"

#include <string>

namespace page {

/// The commands for range, scale, label and tics of each axis, from what is drawn.
[[nodiscard]] std::string x_axis_text(Plot const& plot);
/// On a logarithmic axis the ends of intervals do not count: a wide one would squeeze the curves.
[[nodiscard]] std::string y_axis_text(Plot const& plot);

}  // namespace page
