// SPDX-License-Identifier: BSD-3-Clause
#include "run/schedule.hpp"

#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>

namespace measure::tool::runs {

namespace {

/// Lower limit of the relative scatter. Smaller estimates from a few launches are not reliable.
constexpr double least_scatter = 1e-3;

}  // namespace

int samples_per_launch(double per_launch, std::span<PointCost const> points) {
    if (points.empty())
        return fewest_samples;
    double const share = per_launch / static_cast<double>(points.size());
    std::vector<double> numbers;
    for (auto const& point : points)
        numbers.push_back(std::sqrt((share + point.per_launch) / point.per_sample) *
                          std::max(point.within, least_scatter) / std::max(point.between, least_scatter));
    double const middle = std::clamp(std::ceil(measure::median(numbers)), double{fewest_samples}, double{most_samples});
    return static_cast<int>(middle);
}

Schedule schedule(double per_launch, std::span<PointCost const> points, measure::seconds left) {
    Schedule result{.samples = samples_per_launch(per_launch, points)};
    double time = per_launch;
    for (auto const& point : points)
        time += point.per_launch + point.per_sample * result.samples;
    result.start_time = measure::seconds{time};
    result.launches = static_cast<int>(std::clamp(left.count() / time, 0.0, 1e6));
    return result;
}

double expected_resolution(double between, int launches) {
    constexpr double of_median = 1.2533;
    constexpr double quantile = 1.96;
    constexpr double largest_of_eight = 1.4236;
    constexpr int fewest_for_parts = 16;
    double const reach = launches < fewest_for_parts ? quantile : largest_of_eight * std::sqrt(8.0);
    return std::sqrt(2.0) * reach * of_median * between / std::sqrt(launches);
}

}  // namespace measure::tool::runs
