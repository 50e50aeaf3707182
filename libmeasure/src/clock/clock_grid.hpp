// SPDX-License-Identifier: BSD-3-Clause
/// The grid of a clock whose step is shorter than a reading. No reading repeats, but distances of readings are
/// multiples of the step. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace measure::detail {

/// The step of which all distances of readings are multiples: the smallest gap between groups of distances. Returns 0
/// if there is no such grid, that is, if there are fewer than two groups or a group is at least half as wide as a gap.
/// \param distances  vary by more than a step; the longest 5 % are ignored because they include interruptions
/// \param rounding  distances within 1.5 times this value belong to one group
[[nodiscard]] inline double grid_of(std::vector<double> distances, double rounding) {
    constexpr double near = 1.5;
    constexpr std::size_t counted_share = 20;  // ignores one of 20
    constexpr std::size_t smallest_share = 100;
    std::sort(distances.begin(), distances.end());
    distances.resize(distances.size() - distances.size() / counted_share);
    double gap = std::numeric_limits<double>::infinity();
    double widest = 0;
    double last_middle = 0;
    int groups = 0;
    for (std::size_t begin = 0, end = 0; begin < distances.size(); begin = end) {
        for (end = begin + 1; end < distances.size() && distances[end] - distances[end - 1] <= near * rounding;)
            ++end;
        // Groups of very few distances are random.
        if (end - begin <= distances.size() / smallest_share)
            continue;
        double const middle = std::accumulate(distances.begin() + static_cast<std::ptrdiff_t>(begin),
                                              distances.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
                              static_cast<double>(end - begin);
        widest = std::max(widest, distances[end - 1] - distances[begin]);
        if (++groups > 1)
            gap = std::min(gap, middle - last_middle);
        last_middle = middle;
    }
    return groups > 1 && 2 * widest < gap ? gap : 0;
}

}  // namespace measure::detail
