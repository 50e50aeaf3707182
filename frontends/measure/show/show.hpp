// SPDX-License-Identifier: BSD-3-Clause
/// Show: a run as text for a terminal. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <string>

namespace measure::tool {

/// What was measured where and when, and a line for each point: benchmark, coordinates, value with its standard error
/// and interval, valid samples of those tried, what stopped the measurement, and the number of a note. Coordinates that
/// all points share stand above, notes (flags, messages) below. Columns are as narrow as what stands in them.
[[nodiscard]] std::string show_text(Launch const& launch);

}  // namespace measure::tool
