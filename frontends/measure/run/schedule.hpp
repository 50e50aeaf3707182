// SPDX-License-Identifier: BSD-3-Clause
/// Schedule: the best numbers of launches and samples for a budget, from the cost of the pilot launches. Pure, local.
#pragma once

#include <measure/units.hpp>

#include <span>

namespace measure::tool::runs {

/// The cost and the scatter of a point.
struct PointCost {
    double per_launch = 0;  ///< seconds per launch besides the samples: settling, buffers
    double per_sample = 0;  ///< seconds per sample, > 0
    double within = 0;      ///< relative standard deviation of the samples within a launch
    double between = 0;     ///< relative standard deviation of the medians between launches
};

struct Schedule {
    int samples = 0;                ///< samples of a point in a launch
    int launches = 0;               ///< launches that fit into the budget
    measure::seconds start_time{};  ///< expected duration of one launch
};

/// The fewest launches that give a 95 % interval of a median.
inline constexpr int fewest_starts = 6;
inline constexpr int fewest_samples = 8;
inline constexpr int most_samples = 100;

/// The number of samples that minimises the error of the median over launches for a given time: sqrt(C / c * W / B)
/// (Cochran 1977, section 10.6). C is the cost of a launch per point, c the cost of a sample, W and B are the variances
/// within and between launches. The result is the median over the points, limited to 8 .. 100.
/// \param per_launch  seconds per launch besides its points
[[nodiscard]] int samples_per_launch(double per_launch, std::span<PointCost const> points);

/// The schedule for the remaining time. \param left  remaining part of the budget
[[nodiscard]] Schedule schedule(double per_launch, std::span<PointCost const> points, measure::seconds left);

/// The smallest difference between two such runs that can be detected, as a share of the value. Both runs have the 95 %
/// interval of a median of normal values (half of it is 1.96 * 1.2533 s / sqrt(n)). From 16 launches on, the interval
/// also covers the medians of eight successive parts; the largest of them is expected 1.42 standard deviations from the
/// middle (Tippett 1925).
/// \param between  s, relative standard deviation between launches  \param launches  n, number of launches, > 0
[[nodiscard]] double expected_resolution(double between, int launches);

}  // namespace measure::tool::runs
