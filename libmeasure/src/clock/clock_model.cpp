// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_model.hpp"

#include "measure/statistics.hpp"

#include <cmath>
#include <vector>

namespace measure {

double ClockModel::error_at(double local) const noexcept {
    return std::hypot(offset_error, rate_error * (local - anchor));
}

namespace {

constexpr double rate_limit = 500e-6;
constexpr double runs_limit = -3.09;  // the normal distribution's 0.001 quantile

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

}  // namespace

std::optional<ClockModel> fit_drift(std::span<double const> local, std::span<double const> offsets,
                                    std::span<double const> bounds) {
    std::size_t const k = local.size();
    if (k < 3)
        return std::nullopt;
    Line const fitted = fit_line(local, offsets);
    if (std::isnan(fitted.slope))
        return std::nullopt;
    ClockModel line{.offset = fitted.y, .rate = fitted.slope, .anchor = fitted.x};
    std::vector<double> residuals(k);
    double squares = 0;
    double xx = 0;
    for (std::size_t i = 0; i < k; ++i) {
        xx += (local[i] - line.anchor) * (local[i] - line.anchor);
        residuals[i] = offsets[i] - line.offset_at(local[i]);
        squares += residuals[i] * residuals[i];
    }
    double const s = std::sqrt(squares / static_cast<double>(k - 2));
    line.offset_error = s / std::sqrt(static_cast<double>(k));
    line.rate_error = s / std::sqrt(xx);
    if (std::abs(line.rate) > rate_limit)
        return std::nullopt;
    if (detail::runs_deviate(residuals) < runs_limit && !within(residuals, bounds))
        return std::nullopt;
    return line;
}

}  // namespace measure
