// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/rules.hpp"

#include <algorithm>
#include <cmath>

namespace blasbench {

std::vector<std::int64_t> iterations(Rules const& rules, std::span<double const> references) {
    auto const most = static_cast<double>(rules.iterations);
    double const fewest = references.empty() ? 1 : *std::min_element(references.begin(), references.end());
    std::vector<std::int64_t> result;
    for (double const each : references) {
        double calls = most;
        if (rules.kind == Iterations::falling)
            calls = std::floor(most * fewest / each);
        result.push_back(static_cast<std::int64_t>(std::max(calls, 1.0)));
    }
    return result;
}

}  // namespace blasbench
