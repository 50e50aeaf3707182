// SPDX-License-Identifier: BSD-3-Clause
/// Controls: whether the machine behaved equally on both sides of a comparison. Pure, local.
#pragma once

#include "analysis/compare/compare.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure {

/// Change of a control between two sides.
struct ControlChange {
    std::string control{};
    double ratio = 1;      ///< B / A, within states of the machine
    bool differs = false;  ///< significant at 1 % over all controls and larger than 3 %, or no state is shared
};

/// Changes of all controls that both sides have.
[[nodiscard]] std::vector<ControlChange> control_changes(Comparison const& comparison);

/// Largest change of a control, as the absolute logarithm of its ratio. \param differs  selects controls that differ,
/// or the others
[[nodiscard]] double largest_change(std::span<ControlChange const> changes, bool differs);

/// How much two runs at different times may differ without a change of a control. If the levels of runs scatter by 2 %
/// (standard deviation), one of 20 pairs differs by more than 1.96 sqrt(2) times that.
inline constexpr double share_of_two_runs = 0.055;

/// Differences that a change of the controls can explain are not evidence about MPI: their verdict becomes `machine`.
/// A control that changed by a factor of c explains differences up to a factor of (1 + apart) c^1.5.
/// \param apart  how much the sides may differ without a change of a control, as a share
void judge_by_controls(Comparison& comparison, std::span<ControlChange const> changes, double apart);

/// Text such as "memory copy -0.0 %, cache line -76.3 % CHANGED"; empty without controls.
[[nodiscard]] std::string controls_text(std::vector<ControlChange> const& changes);

}  // namespace measure
