// SPDX-License-Identifier: BSD-3-Clause
/// Launches: how many starts of a program there are to be. Pure.
#pragma once

#include <measure/units.hpp>

namespace measure::tool {

/// Fewer say nothing about how starts differ.
inline constexpr int least_launches = 2;

/// How many launches there will be in all, if each takes as long as those so far on average.
/// \param complete  launches that took `elapsed` together
[[nodiscard]] int launches_in_budget(int complete, measure::seconds elapsed, measure::seconds budget);

}  // namespace measure::tool
