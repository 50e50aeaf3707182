// SPDX-License-Identifier: BSD-3-Clause
/// Overlap: how much of a non-blocking operation's time a process can compute in. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/units.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// So many times of computing a start measures besides none: half of the longest, and the longest, which is twice the
/// operation's own time.
inline constexpr int compute_points = 2;

/// Whether the test of mpiperf computes while its operation is under way.
[[nodiscard]] bool computes(std::string_view test) noexcept;

/// Each start finds anew how long it computes, so that no two starts have such a point in common. Of points that differ
/// in nothing else the one that does not compute stays, without that coordinate, with the overlap of the longest
/// (`derived.overlap`) and the time that all of them took.
void join_computing(Launch& start);

/// Of one operation at one size.
struct AnswerOverlap {
    std::string operation{};
    Bytes bytes = 0;
    double share = 0;                ///< median over starts; 1: its time can be computed in, all of it
    std::optional<double> margin{};  ///< to the farther end of the 95 % interval
};

/// By name and size. \param starts  joined
[[nodiscard]] std::vector<AnswerOverlap> overlaps_of(std::span<Launch const> starts);

}  // namespace measure
