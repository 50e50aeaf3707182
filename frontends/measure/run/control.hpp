// SPDX-License-Identifier: BSD-3-Clause
/// Control: evaluates the measurements that an MPI library cannot change. They show the state of the machine, and
/// whether a launch was disturbed. Pure, local.
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

/// A launch that is an outlier, with the reason: "memory copy took 2.1 times the usual time".
struct Disturbance {
    std::size_t launch = 0;  ///< index of the launch
    double excess = 0;       ///< absolute logarithm of the deviation; of the first reason that was found
    std::string text{};
};

/// A value is an outlier if its distance from the median exceeds this many times the median distance, and 10 %.
inline constexpr double out_of_line = 5;
inline constexpr double least_difference = 0.1;
/// The 10 % above are 50 % for the duration of a launch, because MPI itself may change it from launch to launch.
inline constexpr double least_delay = 0.5;

/// The launches in which a control or the duration is an outlier. \param launches  launches in one state of the machine
///
/// Fewer than five launches give no result. A control that is an outlier in more than a fifth of the launches is
/// unsteady, and ignored: leaving out these launches would make the machine look better than it is. The duration is
/// relative to the usual duration of the launch's points, so that launches with fewer points are not outliers.
[[nodiscard]] std::vector<Disturbance> disturbed(std::span<Launch const> launches);

/// The display names of the controls that are outliers in more than a fifth of the launches.
[[nodiscard]] std::vector<std::string> unsteady_controls(std::span<Launch const> launches);

/// The launches that count: all launches in a state of the machine, except disturbed ones. At most a fifth of the
/// launches in each state are left out, the worst first.
struct CountingLaunches {
    measure::MachineStates states{};         ///< states of all launches
    std::vector<Launch> all{};               ///< counted launches
    measure::MachineStates states_of_all{};  ///< states of the counted launches
    std::vector<Launch> main{};              ///< counted launches in the most frequent state
    std::vector<Disturbance> disturbed{};    ///< in the order of the launches
    std::size_t left_out = 0;                ///< number of disturbed launches that do not count
    std::vector<std::string> unsteady{};     ///< unsteady controls; only if the machine has one state
};
[[nodiscard]] CountingLaunches counting_launches(std::span<Launch const> launches);
/// \param states  states of the launches, which may have been found together with other launches
[[nodiscard]] CountingLaunches counting_launches(std::span<Launch const> launches, measure::MachineStates states);

/// The counted launches of two runs or sides. Their states are found together, because a state that is too rare in one
/// run to be recognised may be frequent in the other.
[[nodiscard]] std::array<CountingLaunches, 2> counting_sides(std::span<Launch const> a, std::span<Launch const> b);

}  // namespace measure::tool::runs
