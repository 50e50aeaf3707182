// SPDX-License-Identifier: BSD-3-Clause
/// States: the controls of launches, and the states of the machine that they show. Pure, local.
#pragma once

#include "analysis/runs/control_names.hpp"
#include "analysis/runs/launch.hpp"
#include "analysis/runs/points.hpp"

#include <measure/compare.hpp>
#include <measure/machine_states.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

/// The states of the launches of all sides together, by the controls that all sides have. A control that was measured
/// at the beginning and at the end of a launch shows whether its state changed. If a control has several sizes, the
/// smallest is used that all sides have. \param use_controls  otherwise there is one state
[[nodiscard]] SideStates states_of(std::span<std::span<Launch const> const> sides, bool use_controls = true);

/// The states of the starts of one program, one for each.
[[nodiscard]] MachineStates states_of_starts(std::span<Launch const> starts);

/// The launches in the most frequent state of those that are starts of one program (`are_alike`), in the same order.
/// \param join  as of `are_alike`
[[nodiscard]] std::vector<Launch> in_main_state(std::span<Launch const> launches, bool join = false);

/// The times of a state's controls: "cache line 37 ns", "158 ns" where the names are known.
[[nodiscard]] std::string state_text(MachineStates const& states, std::size_t state, bool with_names);

/// "cache line 37 ns (62 % of launches), 158 ns (36 %); 2 % in none". \param of  "launches"
[[nodiscard]] std::string states_text(MachineStates const& states, std::string_view of = "launches");

}  // namespace measure
