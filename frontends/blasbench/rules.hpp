// SPDX-License-Identifier: BSD-3-Clause
/// Rules: the number of calls of each problem. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace blasbench {

/// How the number of calls depends on the problem size.
enum class Iterations {
    falling,   ///< each problem makes the same number of references as the smallest one
    constant,  ///< each problem gets the same number of calls
};

struct Rules {
    std::int64_t iterations = 100'000;  ///< calls of the smallest problem, which gets the most
    Iterations kind = Iterations::falling;
    double standard_error = 0;  ///< relative; > 0: measure until it is reached, >= 5 blocks and at most about 10 s
};

/// Calls of each problem of a series, at least 1. A point ends earlier if it takes more than about 1 s.
/// falling: floor(I r / r(n)), with r the smallest number of references in the series.
/// \param references  references of one call of each problem, in the order of the series
[[nodiscard]] std::vector<std::int64_t> iterations(Rules const& rules, std::span<double const> references);

}  // namespace blasbench
