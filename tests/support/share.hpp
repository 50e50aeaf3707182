// SPDX-License-Identifier: BSD-3-Clause
/// Share: the fraction of repetitions in which something was seen.
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
    /// Standard error of the share, which is not 0 even if nothing was seen.
    [[nodiscard]] double error() const {
        double const number = of;
        double const smoothed = (seen + 1) / (number + 2);
        return std::sqrt(smoothed * (1 - smoothed) / (number + 2));
    }
    /// The share and its error in per cent.
    [[nodiscard]] std::string text() const { return fmt::format("{:.1f} +- {:.1f}", 100 * value(), 100 * error()); }
    /// Whether the share exceeds a limit by more than chance explains: by two standard errors of a share equal to the
    /// limit.
    [[nodiscard]] bool is_above(double limit) const {
        return value() > limit + 2 * std::sqrt(limit * (1 - limit) / std::max(of, 1));
    }
};

}  // namespace test
