// SPDX-License-Identifier: BSD-3-Clause
/// Axes: ranges, scales and tics of a plot's axes, as values and as gnuplot's commands. Pure and local.
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

/// What an axis shows.
struct Scale {
    double low = 0;
    double high = 1;   ///< above `low`
    int log_base = 0;  ///< 2 or 10; 0: linear
    std::string label{};
    std::vector<Tic> tics{};  ///< ascending, between low and high

    /// Where a value stands: 0 at the low end, 1 at the high end, outside of that beyond them.
    [[nodiscard]] double place(double value) const noexcept;
};

/// The axes, from what is drawn. \param most_tics  at least 2
[[nodiscard]] Scale x_scale(Plot const& plot, std::size_t most_tics);
/// On a logarithmic axis the ends of intervals do not count: a wide one would squeeze the curves.
[[nodiscard]] Scale y_scale(Plot const& plot, std::size_t most_tics);

/// gnuplot's commands for range, scale, label and tics of both axes.
[[nodiscard]] std::string axes_text(Plot const& plot);

}  // namespace page
