// SPDX-License-Identifier: BSD-3-Clause
/// Merged: the points of the starts of one program, joined, and the order of points for people. Pure, local.
#pragma once

#include "shared/inputs.hpp"

#include <measure/machine_states.hpp>

#include <span>
#include <vector>

namespace measure::tool {

/// Sorts the points of a run that measured in random order: by the order of its tests, by name, and by coordinates. The
/// points of other runs keep their order.
void sort_points(std::vector<measure::Record>& points, measure::Environment const& run);

/// Whether a complete start was not to measure a point: its tests do not name it, and it has no record of it.
/// `measure run` leaves points that are precise enough out of further starts.
[[nodiscard]] bool is_left_out(Launch const& launch, measure::Record const& point);

/// `measure::merge_launches`, sorted. Starts that were not to measure a point are not missing there.
[[nodiscard]] std::vector<measure::Record>
merged_starts(std::span<Launch const> launches, measure::MachineStates const& states, double confidence = 0.95);

}  // namespace measure::tool
