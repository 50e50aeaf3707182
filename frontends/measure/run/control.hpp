// SPDX-License-Identifier: BSD-3-Clause
/// Control: what an MPI library cannot change, measured in each start: in which state the machine was, whether a start
/// was disturbed, and whether the machine is the same as last time. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "analysis/runs/states.hpp"

#include <measure/units.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::runs {

/// Why a start is out of line, in words: "Memcpy takes 2.1 times as long as in the others".
struct Disturbance {
    std::size_t start = 0;  ///< its place among all
    double excess = 0;      ///< distance from the others, as a logarithm; the first that was found
    std::string text{};
};

/// A value that lies beyond so many times the median distance from the median of all (and 10 %) is out of line.
inline constexpr double out_of_line = 5;
inline constexpr double least_difference = 0.1;
/// Of the time that a start took: what MPI itself may change from start to start is not to be left out.
inline constexpr double least_delay = 0.5;

/// The starts of one state of which a control or the time that they took is out of line. Fewer than five starts say
/// nothing, and a control that is out of line in more than a fifth of them is unsteady: to leave such starts out would
/// flatter the machine. What a start took is compared with what its points usually take, so that starts with fewer
/// points are not out of line.
[[nodiscard]] std::vector<Disturbance> disturbed(std::span<Launch const> starts);

/// The controls that are out of line in more than a fifth of the starts, by their names for people.
[[nodiscard]] std::vector<std::string> unsteady_controls(std::span<Launch const> starts);

/// The starts that count: those in a state of the machine, without the disturbed ones of each state, of which a fifth
/// at most are left out, the worst ones.
struct CountingStarts {
    measure::MachineStates states{};         ///< of all starts
    std::vector<Launch> all{};               ///< that count
    measure::MachineStates states_of_all{};  ///< of those
    std::vector<Launch> main{};              ///< of those, in the most frequent state
    std::vector<Disturbance> disturbed{};    ///< by place
    std::size_t left_out = 0;                ///< of the disturbed ones
    std::vector<std::string> unsteady{};     ///< controls, where the machine has one state
};
[[nodiscard]] CountingStarts counting_starts(std::span<Launch const> starts);
/// \param states  of the starts, which may have been found together with others
[[nodiscard]] CountingStarts counting_starts(std::span<Launch const> starts, measure::MachineStates states);

/// The starts of two runs or sides that are compared. Their states are found together: a state that one run saw too
/// rarely to recognise it may be usual in the other.
[[nodiscard]] std::array<CountingStarts, 2> counting_sides(std::span<Launch const> a, std::span<Launch const> b);

}  // namespace measure::tool::runs
