// SPDX-License-Identifier: BSD-3-Clause
/// Findings: results that readers would otherwise search for in the plots, such as slow operations and jumps in a
/// curve. Pure and local.
#pragma once

#include "skampi/report/curves.hpp"
#include "skampi/report/pages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skampi::report {

/// Consecutive arguments at which one curve is slower than another.
struct Stretch {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::size_t points = 0;  ///< points that both curves have from first to last
    double smallest = 0;     ///< smallest ratio of the times, > 1
    double largest = 0;
};

/// Finds the stretches in which `a` is slower than `b`. At each common argument, `a` is slower if the times differ by
/// more than three standard errors of the difference, sqrt(e_a^2 + e_b^2), and by more than 5 % of the smaller time. A
/// stretch needs at least two consecutive arguments, unless the curves have only one in common. Rows measured with
/// another method (fallback), with new memory (unsettled) or without a known error are ignored.
[[nodiscard]] std::vector<Stretch> slower(Block const& a, Block const& b);

/// Neighbouring points between which the curve jumps, for example because the library changes its algorithm or
/// protocol.
struct Switch {
    std::int64_t before = 0;
    std::int64_t behind = 0;
    double time_before = 0;  ///< us
    double time_behind = 0;  ///< us
};

/// Finds the jumps of a curve over message lengths. The distance between the two points may be at most half of the
/// smaller length. Three differences must each exceed 10 % and three standard errors: the jump, the deviation of the
/// first point after it from the line through the two points before it, and the deviation of the last point before it
/// from the line through the two points after it. The second point on each side must confirm more than half of the
/// jump, because a single deviating point is a disturbance. If jumps share a point, only the largest is kept.
[[nodiscard]] std::vector<Switch> switches(Block const& block);

struct Findings {
    page::Section section{};
    std::size_t count = 0;  ///< number of lines in the tables
};

/// Makes the section of the report. \param baseline  one of the inputs, or nullptr
[[nodiscard]] Findings findings(std::span<Input const> inputs, Input const* baseline);

}  // namespace skampi::report
