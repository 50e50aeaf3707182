// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_model.hpp"

#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace measure {

double ClockModel::error_at(double local) const noexcept {
    return std::hypot(offset_error, rate_error * (local - anchor));
}

namespace {

constexpr double rate_limit = 500e-6;
constexpr double runs_limit = -3.09;  // 0.001 quantile of the normal distribution

}  // namespace

double detail::runs_deviate(std::span<double const> residuals) {
    double above = 0;
    double below = 0;
    double runs = 0;
    bool last = false;
    for (double const r : residuals) {
        if (r == 0)
            continue;
        bool const sign = r > 0;
        runs += above + below == 0 || sign != last;
        (sign ? above : below) += 1;
        last = sign;
    }
    double const n = above + below;
    if (above == 0 || below == 0 || n < 3)
        return 0;
    double const expected = 2 * above * below / n + 1;
    double const variance = (expected - 1) * (expected - 2) / (n - 1);
    return variance > 0 ? (runs - expected) / std::sqrt(variance) : 0;
}

namespace {

bool within(std::span<double const> residuals, std::span<double const> bounds) {
    for (std::size_t i = 0; i < bounds.size(); ++i)
        if (std::abs(residuals[i]) > bounds[i])
            return false;
    return !bounds.empty();
}

/// Weight of each point of a line. Apart from an error common to all points, an offset is wrong by at most the excess
/// of its bound over the smallest bound. Points below the usual excess (lower quartile) have similar weights.
std::vector<double> weights_of(std::size_t points, std::span<double const> bounds) {
    constexpr double finest = 1e-9;
    if (bounds.empty())
        return std::vector<double>(points, 1);
    double const least = *std::min_element(bounds.begin(), bounds.end());
    std::vector<double> weights;
    for (double const bound : bounds)
        weights.push_back(bound - least);
    double const usual = std::max(finest, quantile(weights, 0.25));
    for (double& w : weights)
        w = 1 / (1 + w / usual * (w / usual));
    return weights;
}

}  // namespace

std::optional<ClockModel> fit_drift(std::span<double const> local, std::span<double const> offsets,
                                    std::span<double const> bounds) {
    std::size_t const k = local.size();
    if (k < 3)
        return std::nullopt;
    auto const weights = weights_of(k, bounds);
    double const all = std::accumulate(weights.begin(), weights.end(), 0.0);
    // Effective number of points with equal weight.
    double const points = all * all / std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
    if (points <= 2)
        return std::nullopt;
    // The means are computed relative to the first values, which may be large.
    ClockModel line{.offset = offsets[0], .anchor = local[0]};
    double x_sum = 0;
    double y_sum = 0;
    for (std::size_t i = 0; i < k; ++i) {
        x_sum += weights[i] * (local[i] - local[0]);
        y_sum += weights[i] * (offsets[i] - offsets[0]);
    }
    line.anchor += x_sum / all;
    line.offset += y_sum / all;
    double xx = 0;
    double xy = 0;
    for (std::size_t i = 0; i < k; ++i) {
        double const x = local[i] - line.anchor;
        xx += weights[i] * x * x;
        xy += weights[i] * x * (offsets[i] - line.offset);
    }
    if (!(xx > 0))
        return std::nullopt;
    line.rate = xy / xx;
    std::vector<double> residuals(k);
    double squares = 0;
    for (std::size_t i = 0; i < k; ++i) {
        residuals[i] = offsets[i] - line.offset_at(local[i]);
        squares += weights[i] * residuals[i] * residuals[i];
    }
    double const variance = squares / all * points / (points - 2);
    line.offset_error = std::sqrt(variance / points);
    line.rate_error = std::sqrt(variance * all / points / xx);
    if (std::abs(line.rate) > rate_limit)
        return std::nullopt;
    if (detail::runs_deviate(residuals) < runs_limit && !within(residuals, bounds))
        return std::nullopt;
    return line;
}

}  // namespace measure
