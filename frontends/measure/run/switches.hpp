// SPDX-License-Identifier: BSD-3-Clause
/// Switches: the sizes at which the cost of an operation changes, by the models of `measure model`. Pure, local.
#pragma once

#include "run/answer.hpp"

#include <string>
#include <vector>

namespace measure::tool::runs {

struct SwitchPoint {
    std::string text{};    ///< "Bcast 8 KiB x2.1", "Bcast 8 KiB steeper"
    std::string reason{};  ///< what probably changes there
};

/// Where times jump, or their growth with the size changes, by more than chance. Operations with fewer than six sizes
/// show none.
[[nodiscard]] std::vector<SwitchPoint> switch_points(Answer const& answer);

}  // namespace measure::tool::runs
