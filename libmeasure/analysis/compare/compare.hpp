// SPDX-License-Identifier: BSD-3-Clause
/// Comparison: what two sides of launches say of the same points, and whether they differ. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "analysis/runs/points.hpp"
#include "analysis/runs/states.hpp"

#include <measure/compare.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace measure {

/// A noise floor above this share is too large to be of use.
constexpr double useless_floor = 0.25;

/// Whether there is a state in which both sides have launches.
[[nodiscard]] bool have_shared_state(SideStates const& states);

/// "Bcast, Scan: within the noise floor of 3 %": the operations that are not decided, by reason; their number where
/// more than three share the only reason. Operations with a single launch are left out.
[[nodiscard]] std::vector<std::string> undecided_texts(std::span<ComparedPoint const> operations);

/// Why there is no point to compare: "no point has a value above 0 on both sides", with an example of one that has
/// nothing but zeros on one side.
[[nodiscard]] std::string nothing_text(Comparison const& comparison);

/// Compares operation by operation, then point by point. The k-th of equal points of a launch goes with the k-th of the
/// others. Operations that have no size (Barrier) are one point, whatever sizes they were measured at.
///
/// Each launch counts once, with its median (of a merged record: the medians of its launches); for an operation with
/// the geometric mean of these over its points. Where a side has a single launch there is no test and no verdict.
///
/// Operations are tested first, p adjusted by Holm over them. Points are tested inside operations whose adjusted p is
/// below alpha, adjusted over the points of the operation, and never below that of the operation. An interval has the
/// level that its p is compared with: of k tests of which r find nothing, the i-th smallest p is compared with alpha /
/// max(k - i + 1, r), which is Holm's rule.
///
/// Controls (`is_control`) are not compared with the others unless a side has nothing else. They show the states of the
/// machine: launches are compared within states only, and all states give one test (van Elteren). Where the ratio
/// differs between states, at 1 % (the sum over states of the squared distances of the logarithms from their weighted
/// mean, in standard errors, against chi squared), each state has its own verdict (`by_state`), and the operation that
/// of the states together. Without a shared state the verdict is `machine`.
///
/// faster, slower: the adjusted p is below alpha, the interval is not around 1, and the ratio is beyond the threshold,
/// and beyond the noise floor where one is asked for. same: the interval lies within the threshold. \param noise
/// launches of one and the same thing
[[nodiscard]] Comparison compare_sides(std::span<Launch const> a, std::span<Launch const> b, CompareRules const& rules,
                                       std::span<Launch const> noise = {});

/// How many times one side takes as long as the other, at least 1.
[[nodiscard]] double factor(ComparedPoint const& point) noexcept;

/// A share in per cent, without exponent: "2", "58.7", "1598".
[[nodiscard]] std::string in_percent(double share);

/// The fewest launches of either side with which so many operations can show a difference. \param alpha  in (0, 1)
[[nodiscard]] std::size_t launches_needed(std::size_t operations, double alpha);

}  // namespace measure
