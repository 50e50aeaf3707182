// SPDX-License-Identifier: BSD-3-Clause
/// Findings: what the measurements say that a reader would otherwise look for in the plots: where one is slower than
/// another, and where a curve jumps. Pure and local.
#pragma once

#include "skampi/report/curves.hpp"
#include "skampi/report/pages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skampi::report {

/// Neighbouring arguments at which one curve is slower than another.
struct Stretch {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::size_t points = 0;  ///< measured in both, from first to last
    double smallest = 0;     ///< of the ratio of the times, > 1
    double largest = 0;
};

/// Where `a` is slower than `b`. Of the arguments that both have, those count at which the times differ by more than
/// three standard errors of the difference, sqrt(e_a^2 + e_b^2), and by more than 5 % of the smaller one. Fewer than
/// two in a row are no stretch, unless there is only one argument. Rows that were measured by another method
/// (fallback), while memory was new (unsettled) or with an unknown error count in neither direction.
[[nodiscard]] std::vector<Stretch> slower(Block const& a, Block const& b);

/// Neighbouring points between which a curve changes at once: an algorithm or a protocol ends there.
struct Switch {
    std::int64_t before = 0;
    std::int64_t behind = 0;
    double time_before = 0;  ///< us
    double time_behind = 0;  ///< us
};

/// Where a curve over lengths jumps: between points at most half of the smaller one apart, where the line through the
/// two points before misses the first one behind, and the line through the two behind misses the last one before, both
/// by more than 10 % and three standard errors; and where the second point behind is not back (a single point that lies
/// apart is a disturbance). Of jumps that touch each other the largest.
[[nodiscard]] std::vector<Switch> switches(Block const& block);

struct Findings {
    page::Section section{};
    std::size_t count = 0;  ///< lines in its tables
};

/// The section of the report. \param baseline  one of the inputs; nullptr: none
[[nodiscard]] Findings findings(std::span<Input const> inputs, Input const* baseline);

}  // namespace skampi::report
