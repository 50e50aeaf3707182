// SPDX-License-Identifier: BSD-3-Clause
/// Merged: the points of the starts of one program, joined, and the order of points for people. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/machine_states.hpp>

#include <span>
#include <vector>

namespace measure {

/// Sorts the points of a run that measured in random order: by the order of its tests, by name, and by coordinates. The
/// points of other runs keep their order.
void sort_points(std::vector<Record>& points, Environment const& run);

/// Whether a complete start was not to measure a point: its tests do not name it, and it has no record of it.
/// `measure run` leaves points that are precise enough out of further starts.
[[nodiscard]] bool is_left_out(Launch const& launch, Record const& point);

/// `merge_launches`, sorted. Starts that were not to measure a point are not missing there.
[[nodiscard]] std::vector<Record> merged_starts(std::span<Launch const> launches, MachineStates const& states,
                                                double confidence = 0.95);

/// The run line of a merged record, with the states of the machine where there are several. \param command  that
/// merges  \param launches  at least one  \param states  of the launches
[[nodiscard]] Environment merged_run(std::span<Launch const> launches, MachineStates const& states,
                                     std::vector<std::string> command);

}  // namespace measure
