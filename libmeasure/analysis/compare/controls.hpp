// SPDX-License-Identifier: BSD-3-Clause
/// Controls: whether the machine is the same on both sides of a comparison. Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure {

/// A control of two sides.
struct ControlChange {
    std::string control{};
    double ratio = 1;      ///< B over A, within states of the machine
    bool differs = false;  ///< at 1 % for all controls together, and by more than 3 %; or no state is shared
};

/// For each control that both sides have.
[[nodiscard]] std::vector<ControlChange> control_changes(Comparison const& comparison);

/// The largest change of a control, as a logarithm. \param differs  whether controls that differ count, or the others
[[nodiscard]] double largest_change(std::span<ControlChange const> changes, bool differs);

/// What two runs at different times may differ by although no control does: levels of runs that scatter by 2 % as a
/// standard deviation are 1.96 sqrt(2) times that apart in one of 20 pairs.
inline constexpr double share_of_two_runs = 0.055;

/// Differences that a change of the controls can explain say nothing of MPI: their verdict becomes `machine`.
/// \param apart  what sides may differ by although no control does, as a share
void judge_by_controls(Comparison& comparison, std::span<ControlChange const> changes, double apart);

/// "memory copy -0.0 %, cache line -76.3 % CHANGED"; empty without controls.
[[nodiscard]] std::string controls_text(std::vector<ControlChange> const& changes);

}  // namespace measure
