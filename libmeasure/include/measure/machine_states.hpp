// SPDX-License-Identifier: BSD-3-Clause
/// Machine states: which launches saw the machine in the same state. Ranks of a virtual machine share a core or do not,
/// a processor changes its frequency, a neighbour uses the network: a call takes twice its usual time, for
/// seconds or minutes. Controls show the state: measurements that no MPI library can change. Pure, local. Arguments
/// outside the range given throw UsageError.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A control, and what it took in each launch.
struct ControlSeries {
    std::string name{};                         ///< of the control
    std::vector<std::vector<double>> values{};  ///< [launch][in the order measured], > 0; empty: the launch has none
};

/// A state of the machine.
struct MachineState {
    std::vector<double> centres{};  ///< median of each control that shows the states, in the order of their names
    std::size_t launches = 0;       ///< in this state
};

/// The states in which launches saw the machine.
struct MachineStates {
    std::vector<std::string> controls{};  ///< names of the controls that show the states; empty: one state
    std::vector<MachineState> states{};   ///< at least one; the most frequent first, of equally frequent ones that with
                                          ///< the smaller control
    std::vector<std::optional<std::size_t>> of_launch{};  ///< its state; nothing: it is in none

    /// Whether there is more than one.
    [[nodiscard]] bool are_several() const noexcept { return states.size() > 1; }
    /// How many launches are in none.
    [[nodiscard]] std::size_t launches_in_none() const noexcept;
};

inline constexpr double least_share_of_state = 0.1;         ///< of all launches
inline constexpr std::size_t fewest_launches_of_state = 6;  ///< in a state
inline constexpr double least_distance_of_states = 1.1;     ///< ratio of the centres of two states
inline constexpr double least_separation_of_states = 5;     ///< of two centres, in standard deviations
inline constexpr double least_posterior_of_state = 0.95;    ///< probability with which a value belongs to a state

/// Finds the states by the controls alone. The rule does not see the operations that were measured beside them.
///
/// For each control, logarithms of its values are described by k = 1 to 4 normal distributions of one standard
/// deviation. They begin at the largest gaps of the sorted values that leave enough values on both sides, and are
/// fitted by turns: each value goes to the most probable state, the centre of a state is the median of its values, and
/// the standard deviation is 1.4826 times the median distance from the centres (1 % at least). A number k is possible
/// if its states have enough launches and are far enough apart (`least_..` above; the deviation is the largest of the
/// common one and the own ones of both states). The possible k with the smallest BIC = -2 log L + 2 k log n is used
/// (Schwarz 1978). In L a value is at most four standard deviations away from its centre.
///
/// A launch is in a state if all of its values are, by their posterior probability, at a distance from the centre that
/// is smaller than the least distance of two states. Farther values are of states that are too rare. A launch with
/// values of two states is in none: the state changed while it ran. So is one without a value. Where more than a third
/// of the launches saw a change, the states do not last long enough to be separated: there is one.
///
/// Several controls give joint states if each combination has enough launches. Otherwise the control with the best
/// separation gives them alone. The controls are named in that order.
/// \param controls  all of the same launches
[[nodiscard]] MachineStates machine_states(std::span<ControlSeries const> controls);

}  // namespace measure
#pragma GCC visibility pop
