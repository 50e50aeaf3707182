// SPDX-License-Identifier: BSD-3-Clause
/// Axes: ranges, scales and tics of a plot's axes, as values and as gnuplot commands. Pure and local.
#pragma once

#include "page/plot.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace page {

struct Tic {
    double at = 0;
    std::string text{};
};

/// Range, scale and tics of an axis.
struct Scale {
    double low = 0;
    double high = 1;   ///< above `low`
    int log_base = 0;  ///< 2 or 10; 0: linear
    std::string label{};
    std::vector<Tic> tics{};  ///< ascending, between `low` and `high`

    /// The position of a value: 0 at the low end, 1 at the high end, < 0 or > 1 outside of the range.
    [[nodiscard]] double place(double value) const noexcept;
};

/// The x axis for the drawn points. \param most_tics  largest number of tics, at least 2
[[nodiscard]] Scale x_scale(Plot const& plot, std::size_t most_tics);
/// The y axis. A logarithmic axis ignores the ends of intervals, because a wide interval would compress the curves.
[[nodiscard]] Scale y_scale(Plot const& plot, std::size_t most_tics);

/// The gnuplot commands for range, scale, label and tics of both axes.
[[nodiscard]] std::string axes_text(Plot const& plot);

}  // namespace page
