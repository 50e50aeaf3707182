// SPDX-License-Identifier: BSD-3-Clause
/// Show: a record as text for a terminal. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <string>

namespace measure::tool {

/// A heading with program, machine and date, and a line for each point: benchmark, coordinates, value with its standard
/// error and interval, valid and tried samples, stop reason, and the letter of a note. Common coordinates are above the
/// table, notes (flags, messages) below. Columns are as narrow as possible.
[[nodiscard]] std::string show_text(Launch const& launch);

}  // namespace measure::tool
