// SPDX-License-Identifier: BSD-3-Clause
/// States: states of the machine, determined from the controls of the launches. Pure, local.
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

/// States of the launches of all sides together, from the controls that all sides have. A control that was measured at
/// the beginning and at the end of a launch shows whether the state changed. If a control has several sizes, the
/// smallest common size is used. \param use_controls  false: there is a single state
[[nodiscard]] SideStates states_of(std::span<std::span<Launch const> const> sides, bool use_controls = true);

/// The state of each launch of one program.
[[nodiscard]] MachineStates states_of_launches(std::span<Launch const> starts);

/// The launches in the most frequent state, in the same order. States are determined separately for each group of
/// launches that belong together (`are_alike`). \param join  as in `are_alike`
[[nodiscard]] std::vector<Launch> in_main_state(std::span<Launch const> launches, bool join = false);

/// Times of the controls in a state: "cache line 37 ns", or "158 ns" without names.
[[nodiscard]] std::string state_text(MachineStates const& states, std::size_t state, bool with_names);

/// Text such as "cache line 37 ns (62 % of launches), 158 ns (36 %); 2 % in none". \param of  "launches"
[[nodiscard]] std::string states_text(MachineStates const& states, std::string_view of = "launches");

}  // namespace measure
