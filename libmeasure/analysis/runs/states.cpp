// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/states.hpp"

#include "analysis/runs/meaning.hpp"

#include <measure/launches.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace measure {

namespace {

/// Point of a control: number of ranks and bytes.
using ControlPlace = std::pair<std::int64_t, std::int64_t>;
/// Values of a control in each launch of a side, by point.
using ControlOfSide = std::map<ControlPlace, std::map<LaunchNumber, std::vector<double>>>;

ControlOfSide control_of(std::span<Launch const> launches, std::string_view control) {
    ControlOfSide values;
    for (std::size_t launch = 0; launch < launches.size(); ++launch) {
        if (launches[launch].record.run.suite != suite_of_controls)
            continue;
        for (auto const& record : launches[launch].record.points) {
            if (record.benchmark != control || record.quantity != Quantity::time)
                continue;
            ControlPlace const place{integer_at(record.at, "ranks").value_or(0),
                                     integer_at(record.at, "bytes").value_or(0)};
            auto const medians = launch_values_in_all_states(record);
            for (std::size_t i = 0; i < medians.size(); ++i)
                if (medians[i] && *medians[i] > 0)
                    values[place][{launch, i}].push_back(*medians[i]);
        }
    }
    return values;
}

/// The point with the most ranks, and among these the fewest bytes, that all sides have; empty if there is none.
std::optional<ControlPlace> common_place(std::span<ControlOfSide const> sides) {
    std::optional<ControlPlace> best;
    for (auto const& [place, values] : sides.front()) {
        bool const is_common =
            std::all_of(sides.begin(), sides.end(), [&, &at = place](auto const& side) { return side.contains(at); });
        if (is_common && (!best || std::pair{-place.first, place.second} < std::pair{-best->first, best->second}))
            best = place;
    }
    return best;
}

/// The launches of a side. Each launch of a merged record is listed.
std::vector<LaunchNumber> numbers_of(std::span<Launch const> launches) {
    std::vector<LaunchNumber> all;
    for (std::size_t launch = 0; launch < launches.size(); ++launch) {
        std::size_t most = 1;
        for (auto const& record : launches[launch].record.points)
            if (is_merged(record))
                most = std::max(most, launch_values_in_all_states(record).size());
        for (std::size_t i = 0; i < most; ++i)
            all.emplace_back(launch, i);
    }
    return all;
}

}  // namespace

std::size_t SideStates::count(std::size_t side, std::size_t state) const {
    auto const& all = of_side[side];
    auto const number = std::count_if(all.begin(), all.end(), [&](auto const& one) { return one.second == state; });
    return static_cast<std::size_t>(number);
}

std::size_t SideStates::most_frequent(std::size_t side) const {
    std::size_t most = 0;
    for (std::size_t state = 1; state < found.states.size(); ++state)
        if (count(side, state) > count(side, most))
            most = state;
    return most;
}

SideStates states_of(std::span<std::span<Launch const> const> sides, bool use_controls) {
    std::vector<std::pair<std::size_t, LaunchNumber>> all;
    for (std::size_t side = 0; side < sides.size(); ++side)
        for (auto const& number : numbers_of(sides[side]))
            all.emplace_back(side, number);
    std::vector<ControlSeries> series;
    for (auto const control : use_controls ? std::span{all_controls} : std::span<std::string_view const>{}) {
        std::vector<ControlOfSide> by_side;
        for (auto const& side : sides)
            by_side.push_back(control_of(side, control));
        auto const place = common_place(by_side);
        if (!place)
            continue;
        ControlSeries one{.name = std::string{control}};
        for (auto const& [side, number] : all)
            one.values.push_back(by_side[side][*place][number]);
        series.push_back(std::move(one));
    }
    // Without controls all launches are in one state.
    if (series.empty())
        series.push_back({.values = std::vector<std::vector<double>>(all.size())});
    SideStates states{.found = machine_states(series),
                      .of_side = std::vector<std::map<LaunchNumber, std::size_t>>(sides.size())};
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto const& state = states.found.of_launch[i])
            states.of_side[all[i].first][all[i].second] = *state;
    return states;
}

MachineStates states_of_launches(std::span<Launch const> starts) {
    auto const states = states_of(std::span{&starts, 1});
    auto result = states.found;
    // A merged record would count as several launches.
    result.of_launch.assign(starts.size(), std::nullopt);
    for (std::size_t i = 0; i < starts.size(); ++i)
        if (!result.are_several())
            result.of_launch[i] = 0;
        else if (auto const found = states.of_side.front().find({i, 0}); found != states.of_side.front().end())
            result.of_launch[i] = found->second;
    return result;
}

std::vector<Launch> in_main_state(std::span<Launch const> launches, bool join) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        auto const found = std::find_if(groups.begin(), groups.end(), [&](auto const& group) {
            return are_alike(launches[group.front()], launches[i], join);
        });
        if (found == groups.end())
            groups.push_back({i});
        else
            found->push_back(i);
    }
    std::vector<bool> is_main(launches.size());
    for (auto const& group : groups) {
        std::vector<Launch> starts;
        for (auto const place : group)
            starts.push_back(launches[place]);
        auto const states = states_of_launches(starts);
        for (std::size_t i = 0; i < group.size(); ++i)
            is_main[group[i]] = states.of_launch[i] == std::size_t{0} || is_joined(starts[i]);
    }
    std::vector<Launch> main;
    for (std::size_t i = 0; i < launches.size(); ++i)
        if (is_main[i])
            main.push_back(launches[i]);
    return main;
}

std::string state_text(MachineStates const& states, std::size_t state, bool with_names) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < states.controls.size(); ++i)
        parts.push_back(fmt::format("{}{}", with_names ? control_name(states.controls[i]) + " " : "",
                                    text(seconds{states.states[state].centres[i]})));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string states_text(MachineStates const& states, std::string_view of) {
    auto const percent = [&](std::size_t launches) {
        return 100 * static_cast<double>(launches) / static_cast<double>(states.of_launch.size());
    };
    std::vector<std::string> parts;
    for (std::size_t state = 0; state < states.states.size(); ++state)
        parts.push_back(fmt::format("{} ({:.0f} %{})", state_text(states, state, state == 0),
                                    percent(states.states[state].launches),
                                    state == 0 ? fmt::format(" of {}", of) : std::string{}));
    auto text = fmt::format("{}", fmt::join(parts, ", "));
    if (auto const none = states.launches_in_none(); none > 0)
        text += fmt::format("; {:.0f} % in none", percent(none));
    return text;
}

}  // namespace measure
