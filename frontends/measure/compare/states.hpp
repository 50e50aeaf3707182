// SPDX-License-Identifier: BSD-3-Clause
/// States: which launches of two sides may be compared with one another. On a virtual machine, for example, ranks come
/// to lie on cores that share a cache or not, and one and the same call takes twice as long. Which side had more of
/// such launches is chance. Pure, local.
#pragma once

#include "shared/points.hpp"

#include <measure/two_samples.hpp>

#include <map>
#include <span>
#include <vector>

namespace measure_tool {

/// What a control, which no MPI library can change, said in each launch of both sides.
struct ControlValues {
    LaunchValues a{};
    LaunchValues b{};
};

/// The state that the machine was in, by launch; none where it was in one.
struct States {
    std::map<LaunchNumber, int> a{};
    std::map<LaunchNumber, int> b{};
    int shared = 0;  ///< of these states, those in which both sides were

    /// The values of both sides by state; all in one where the machine had but one.
    [[nodiscard]] std::vector<measure::Stratum> strata(LaunchValues const& of_a, LaunchValues const& of_b) const;
};

/// The states are groups of values of a control between which nothing lies: each value is more than 1.25 times the one
/// before, and a tenth of all launches are on either side. With several controls, each combination is a state. Where
/// less than half of either side's launches are in states that the other side has too (at least twice), it is not
/// chance that the sides differ by, and all launches count as one state.
[[nodiscard]] States states_of(std::span<ControlValues const> controls);

}  // namespace measure_tool
