// SPDX-License-Identifier: BSD-3-Clause
/// Switches: the sizes at which the cost of an operation changes, found by the models of `measure model`. Pure, local.
#pragma once

#include "run/answer.hpp"

#include <string>
#include <vector>

namespace measure::tool::runs {

struct SwitchPoint {
    std::string text{};    ///< "Bcast 8 KiB x2.1", "Bcast 8 KiB steeper"
    std::string reason{};  ///< probable cause, such as another protocol
};

/// The sizes at which times jump or change their growth, by more than chance. Operations with fewer than six sizes have
/// no switch points.
[[nodiscard]] std::vector<SwitchPoint> switch_points(Answer const& answer);

}  // namespace measure::tool::runs
