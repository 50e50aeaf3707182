// SPDX-License-Identifier: BSD-3-Clause
#include "compare/states.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace measure_tool {

namespace {

constexpr double least_gap = 1.25;
constexpr std::size_t least_part = 10;  // one in so many
constexpr int fewest_of_a_side = 2;

/// The values at which another group begins.
std::vector<double> group_begins(ControlValues const& control) {
    auto values = numbers(control.a);
    auto const of_b = numbers(control.b);
    values.insert(values.end(), of_b.begin(), of_b.end());
    std::sort(values.begin(), values.end());
    std::size_t const least = std::max<std::size_t>(values.size() / least_part, fewest_of_a_side);
    std::vector<double> begins;
    std::size_t begin = 0;
    for (std::size_t i = least; i + least <= values.size(); ++i)
        if (values[i] > least_gap * values[i - 1] && i - begin >= least) {
            begins.push_back(values[i]);
            begin = i;
        }
    return begins;
}

/// Adds the group of a control to the state of each launch.
void add_groups(std::map<LaunchNumber, int>& states, LaunchValues const& values, std::vector<double> const& begins) {
    for (auto const& [launch, value] : values) {
        auto const group = std::upper_bound(begins.begin(), begins.end(), value) - begins.begin();
        auto& state = states[launch];
        state = state * static_cast<int>(begins.size() + 1) + static_cast<int>(group);
    }
}

std::map<int, int> launches_by_state(std::map<LaunchNumber, int> const& states) {
    std::map<int, int> counts;
    for (auto const& [launch, state] : states)
        ++counts[state];
    return counts;
}

int count_of(std::map<int, int> const& counts, int state) {
    auto const found = counts.find(state);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

std::vector<measure::Stratum> States::strata(LaunchValues const& of_a, LaunchValues const& of_b) const {
    if (a.empty())
        return {{.xs = numbers(of_a), .ys = numbers(of_b)}};
    std::map<int, measure::Stratum> by_state;
    for (auto const& [launch, value] : of_a)
        if (auto const state = a.find(launch); state != a.end())
            by_state[state->second].xs.push_back(value);
    for (auto const& [launch, value] : of_b)
        if (auto const state = b.find(launch); state != b.end())
            by_state[state->second].ys.push_back(value);
    std::vector<measure::Stratum> all;
    for (auto& [state, stratum] : by_state)
        all.push_back(std::move(stratum));
    return all;
}

States states_of(std::span<ControlValues const> controls) {
    States states;
    std::vector<ControlValues const*> telling;
    for (auto const& control : controls) {
        auto const begins = group_begins(control);
        if (begins.empty())
            continue;
        telling.push_back(&control);
        add_groups(states.a, control.a, begins);
        add_groups(states.b, control.b, begins);
    }
    // Launches without a value of one of these controls are in none.
    for (auto const* const control : telling) {
        std::erase_if(states.a, [&](auto const& launch) { return !control->a.contains(launch.first); });
        std::erase_if(states.b, [&](auto const& launch) { return !control->b.contains(launch.first); });
    }
    auto const of_a = launches_by_state(states.a);
    auto const of_b = launches_by_state(states.b);
    int in_both_a = 0;
    int in_both_b = 0;
    for (auto const& [state, count] : of_a)
        if (auto const other = count_of(of_b, state); std::min(count, other) >= fewest_of_a_side) {
            ++states.shared;
            in_both_a += count;
            in_both_b += other;
        }
    auto const is_most = [](int part, auto const& all) { return 2 * part >= static_cast<int>(all.size()); };
    if (!is_most(in_both_a, states.a) || !is_most(in_both_b, states.b))
        return {};
    return states;
}

}  // namespace measure_tool
