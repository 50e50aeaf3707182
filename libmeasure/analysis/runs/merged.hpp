// SPDX-License-Identifier: BSD-3-Clause
/// Merged: joined points of several launches of one program, and the order in which points are shown. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <measure/machine_states.hpp>

#include <span>
#include <vector>

namespace measure {

/// Sorts the points of a run that measured in random order: by the order of its tests, by name, and by coordinates. The
/// points of other runs keep their order.
void sort_points(std::vector<Record>& points, Environment const& run);

/// Whether a complete launch was not asked to measure a point: its tests do not name the point, and it has no record of
/// it. `measure run` skips points in further launches once they are precise enough.
[[nodiscard]] bool is_left_out(Launch const& launch, Record const& point);

/// `merge_launches`, sorted. Launches that were not asked to measure a point do not count as missing.
[[nodiscard]] std::vector<Record> merged_launches(std::span<Launch const> launches, MachineStates const& states,
                                                  double confidence = 0.95);

/// The run line of a merged record. Contains the states of the machine if there are several. \param command  the
/// merging command  \param launches  at least one  \param states  states of the launches
[[nodiscard]] Environment merged_run(std::span<Launch const> launches, MachineStates const& states,
                                     std::vector<std::string> command);

}  // namespace measure
