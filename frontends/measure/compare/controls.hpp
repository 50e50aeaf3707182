// SPDX-License-Identifier: BSD-3-Clause
/// Controls: whether the machine is the same on both sides of a comparison. Pure, local.
#pragma once

#include "compare/compare.hpp"

#include <string>
#include <vector>

namespace measure_tool {

/// A control of two sides.
struct ControlChange {
    std::string control{};
    double ratio = 1;      ///< B over A, within states of the machine
    bool differs = false;  ///< at 1 % for all controls together, and by more than 3 %; or no state is shared
};

/// For each control that both sides have.
[[nodiscard]] std::vector<ControlChange> control_changes(Comparison const& comparison);

/// "memory copy -0.0 %, cache line -76.3 % CHANGED"; empty without controls.
[[nodiscard]] std::string controls_text(std::vector<ControlChange> const& changes);

}  // namespace measure_tool
