// SPDX-License-Identifier: BSD-3-Clause
/// Share: how often something was seen, of all repetitions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace test {

struct Share {
    int seen = 0;
    int of = 0;

    void count(bool is_seen) {
        seen += is_seen ? 1 : 0;
        ++of;
    }
    [[nodiscard]] double value() const { return static_cast<double>(seen) / std::max(of, 1); }
    /// Its standard error, which is not 0 where nothing was seen.
    [[nodiscard]] double error() const {
        double const number = of;
        double const smoothed = (seen + 1) / (number + 2);
        return std::sqrt(smoothed * (1 - smoothed) / (number + 2));
    }
    /// In per cent.
    [[nodiscard]] std::string text() const { return fmt::format("{:.1f} +- {:.1f}", 100 * value(), 100 * error()); }
    /// Whether it is above a limit by more than two standard errors of that, which may be chance.
    [[nodiscard]] bool is_above(double limit) const {
        return value() > limit + 2 * std::sqrt(limit * (1 - limit) / std::max(of, 1));
    }
};

}  // namespace test
