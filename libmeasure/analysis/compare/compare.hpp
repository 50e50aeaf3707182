// SPDX-License-Identifier: BSD-3-Clause
/// Comparison: whether two sets of launches differ in the points they both measured. Pure, local.
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

/// A noise floor above this share is too large for a useful comparison.
constexpr double useless_floor = 0.25;

/// Whether both sides have launches in a common state.
[[nodiscard]] bool have_shared_state(SideStates const& states);

/// Texts such as "Bcast, Scan: within the noise floor of 3 %": the undecided operations, grouped by reason. If more
/// than three share the only reason, their number replaces the names. Operations with a single launch are left out.
[[nodiscard]] std::vector<std::string> undecided_texts(std::span<ComparedPoint const> operations);

/// Why there is no point to compare: "no point has a value above 0 on both sides", with an example of a point without
/// values on one side.
[[nodiscard]] std::string nothing_text(Comparison const& comparison);

/// Compares operation by operation, then point by point. The k-th of equal points of a launch is compared with the k-th
/// one in the other launches. Operations without a size (Barrier) are one point, whatever sizes they were measured at.
///
/// Each launch counts once, with its median. A merged record counts with the medians of its launches. For an operation,
/// the value of a launch is the geometric mean over its points. If a side has a single launch, there is no test and no
/// verdict.
///
/// Operations are tested first; Holm's method adjusts p over the operations. Points are tested only within operations
/// whose adjusted p is below alpha. Their p is adjusted over the points of the operation, and is never below the p of
/// the operation. An interval has the level that its p is compared with: of k tests of which r are not significant, the
/// i-th smallest p is compared with alpha / max(k - i + 1, r), which is Holm's rule.
///
/// Controls (`is_control`) are not compared with the other operations unless a side has only controls. They show the
/// states of the machine: launches are compared only within states, and all states are combined into one test (van
/// Elteren). If the ratio differs between states at the 1 % level, each state has its own verdict (`by_state`), and the
/// operation has the verdict of the combined states. If that is no difference, the operation has the verdict of the
/// first state with a difference. The test for this is chi squared of the sum over states of the squared distances of
/// the log ratios from their weighted mean, in standard errors. Without a shared state the verdict is `machine`.
///
/// faster, slower: the adjusted p is below alpha, the interval excludes 1, and the ratio is beyond the threshold and,
/// if requested, beyond the noise floor. same: the interval is within the threshold. \param noise  repeated launches of
/// the same setup
[[nodiscard]] Comparison compare_sides(std::span<Launch const> a, std::span<Launch const> b, CompareRules const& rules,
                                       std::span<Launch const> noise = {});

/// Ratio of the slower side to the faster side, at least 1.
[[nodiscard]] double factor(ComparedPoint const& point) noexcept;

/// A share in percent, without exponent: "2", "58.7", "1598".
[[nodiscard]] std::string in_percent(double share);

/// Smallest number of launches per side with which that many operations can show a difference. \param alpha  in (0, 1)
[[nodiscard]] std::size_t launches_needed(std::size_t operations, double alpha);

}  // namespace measure
