// SPDX-License-Identifier: BSD-3-Clause
/// Machine states: groups launches by the state of the machine during the launch. For example, ranks of a virtual
/// machine share a core or not, a processor changes its frequency, or another job uses the network. The duration of
/// calls may then double for seconds or minutes. Controls, which are measurements that do not depend on the MPI
/// library, show the state. Pure functions, local. Arguments out of the stated range throw UsageError.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A control with its values in each launch.
struct ControlSeries {
    std::string name{};                         ///< name of the control
    std::vector<std::vector<double>> values{};  ///< [launch][order of measurement], > 0; empty: no values
};

/// A state of the machine.
struct MachineState {
    std::vector<double> centres{};  ///< median of each control in `MachineStates::controls`, in that order
    std::size_t launches = 0;       ///< number of launches in this state
};

/// The states of the machine over several launches.
struct MachineStates {
    std::vector<std::string> controls{};  ///< names of the controls that show the states; empty: one state
    std::vector<MachineState> states{};   ///< most frequent first; in a tie, smaller control first; at least one
    std::vector<std::optional<std::size_t>> of_launch{};  ///< [launch] index of its state; empty: in no state

    /// Whether there is more than one state.
    [[nodiscard]] bool are_several() const noexcept { return states.size() > 1; }
    /// Number of launches that are in no state.
    [[nodiscard]] std::size_t launches_in_none() const noexcept;
};

inline constexpr double least_share_of_state = 0.1;         ///< smallest share of all launches in a state
inline constexpr std::size_t fewest_launches_of_state = 6;  ///< smallest number of launches in a state
inline constexpr double least_distance_of_states = 1.1;     ///< smallest ratio of the centres of two states
inline constexpr double least_separation_of_states = 5;   ///< smallest distance of two centres, in standard deviations
inline constexpr double least_posterior_of_state = 0.95;  ///< smallest probability that a value belongs to its state

/// Finds the states from the controls alone, without the measured operations.
///
/// The logarithms of each control's values are described by k = 1 to 4 normal distributions with a common standard
/// deviation. The distributions are initialised at the largest gaps of the sorted values that leave enough values on
/// both sides. They are fitted iteratively: each value is assigned to its most probable state, the centre of a state is
/// the median of its values, and the standard deviation is 1.4826 times the median distance from the centres (at least
/// 1 %).
///
/// A number k is possible if its states have enough launches and are far enough apart (constants `least_..` above).
/// This test uses the largest of three standard deviations: the common one and the two of the states. The possible k
/// with the smallest BIC = -2 log L + 2 k log n is used (Schwarz 1978). In L, values are at most four standard
/// deviations away from their centre.
///
/// A launch is in a state if all of its values belong to the state: their posterior probability is high enough, and
/// their distance from the centre is below the least distance of two states. Values farther away come from states that
/// are too rare. A launch with values of two states is in no state, because the state changed during the launch. A
/// launch without a value is in no state either. If the state changed in more than a third of the launches, states are
/// too short to be separated, and the result is a single state.
///
/// Several controls give joint states if each combination has enough launches. Otherwise, only the control with the
/// best separation is used. The result lists the controls in the order of their separation.
/// \param controls  all for the same launches
[[nodiscard]] MachineStates machine_states(std::span<ControlSeries const> controls);

}  // namespace measure
#pragma GCC visibility pop
