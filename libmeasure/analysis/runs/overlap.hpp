// SPDX-License-Identifier: BSD-3-Clause
/// Overlap: the share of a non-blocking operation's time in which a process can compute. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/units.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// Number of computing times that a launch measures in addition to zero: half of the longest, and the longest, which is
/// twice the operation's own time.
inline constexpr int compute_points = 2;

/// Whether the mpiperf test computes during its operation.
[[nodiscard]] bool computes(std::string_view test) noexcept;

/// Joins the points of a test that differ only in the computing time. Each launch chooses its own computing times, so
/// launches have none in common. The point without computation is kept, without that coordinate. It gets the overlap of
/// the longest computing time (`derived.overlap`) and the elapsed time of all of these points.
void join_computing(Launch& start);

/// Overlap of one operation at one size.
struct AnswerOverlap {
    std::string operation{};
    Bytes bytes = 0;
    double share = 0;  ///< median over launches; 1: all of the operation's time is available for computation
    std::optional<double> margin{};  ///< distance to the farther end of the 95 % interval
};

/// Overlaps sorted by name and size. \param starts  after join_computing
[[nodiscard]] std::vector<AnswerOverlap> overlaps_of(std::span<Launch const> starts);

}  // namespace measure
