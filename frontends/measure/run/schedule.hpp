// SPDX-License-Identifier: BSD-3-Clause
/// Schedule: how many starts of how many samples fill a budget best, from what a few starts have cost. Pure, local.
#pragma once

#include <measure/units.hpp>

#include <span>

namespace measure::tool::runs {

/// What a point has cost, and how it scatters.
struct PointCost {
    double per_start = 0;   ///< s, besides its samples: settling, buffers
    double per_sample = 0;  ///< s, > 0
    double within = 0;      ///< relative standard deviation of samples of a start
    double between = 0;     ///< of the medians of starts
};

struct Schedule {
    int samples = 0;                ///< of a point in a start
    int starts = 0;                 ///< that fit into the budget
    measure::seconds start_time{};  ///< of one
};

/// The fewest starts that give an interval of a median at 95 %.
inline constexpr int fewest_starts = 6;
inline constexpr int fewest_samples = 8;
inline constexpr int most_samples = 100;

/// The number of samples that, for a given time, leaves the median over starts the smallest error: with a cost of a
/// start of C per point, c of a sample, and variances within and between starts W and B it is sqrt(C / c * W / B)
/// (Cochran 1977, section 10.6), the median of that over the points, from 8 to 100.
/// \param per_start  s that a start takes besides its points
[[nodiscard]] int samples_per_start(double per_start, std::span<PointCost const> points);

/// What that makes of a time. \param left  of the budget
[[nodiscard]] Schedule schedule(double per_start, std::span<PointCost const> points, measure::seconds left);

/// By how much another such run must differ at least to be told apart, as a share of a value: both have the 95 %
/// interval of a median of normal values (half of it is 1.96 * 1.2533 s / sqrt(n)), from 16 starts on the hull with the
/// medians of eight successive parts (their largest is 1.42 of their standard deviations from the middle, Tippett
/// 1925). \param between  relative standard deviation of starts  \param starts  n, > 0
[[nodiscard]] double expected_resolution(double between, int starts);

}  // namespace measure::tool::runs
