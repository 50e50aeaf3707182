// SPDX-License-Identifier: BSD-3-Clause
/// Rules: how many calls a problem gets. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace blasbench {

/// How many calls the problems of a series get.
enum class Iterations {
    falling,   ///< as many references as the smallest one has
    constant,  ///< all the same
};

struct Rules {
    std::int64_t iterations = 100'000;  ///< of the smallest problem, which is the most
    Iterations kind = Iterations::falling;
    double standard_error = 0;  ///< relative; > 0: blocks until it is reached, at least 5, for about 10 s at most
};

/// Calls of each problem of a series, at least 1; a point ends earlier after about 1 s.
/// falling: floor(I r / r(n)) with the fewest references r of all.
/// \param references  of one call, in the order of the series
[[nodiscard]] std::vector<std::int64_t> iterations(Rules const& rules, std::span<double const> references);

}  // namespace blasbench
