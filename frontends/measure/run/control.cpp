// SPDX-License-Identifier: BSD-3-Clause
#include "run/control.hpp"

#include "run/sweep.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace measure::tool::runs {

namespace {

constexpr std::size_t fewest_to_compare = 5;

/// A number for each launch; nothing if the launch does not have it.
using Numbers = std::vector<std::optional<double>>;

std::vector<double> present(Numbers const& numbers) {
    std::vector<double> values;
    for (auto const& number : numbers)
        if (number)
            values.push_back(*number);
    return values;
}

Numbers values_of(std::span<Launch const> launches, std::string_view test) {
    Numbers numbers;
    for (auto const& launch : launches) {
        std::vector<double> values;
        for (auto const& point : launch.record.points)
            if (point.benchmark == test)
                if (auto const e = measure::estimate_of_value(point); e && e->median > 0)
                    values.push_back(e->median);
        // If memory is measured too, the copy control has several sizes.
        numbers.push_back(values.empty() ? std::nullopt : std::optional{measure::log_mean(values)});
    }
    return numbers;
}

bool has_end(Launch const& launch) { return launch.record.end && launch.record.end->elapsed; }

/// Duration of each launch, relative to the usual duration of its points.
Numbers durations(std::span<Launch const> launches) {
    std::map<SweptPoint, std::vector<double>> times;
    std::vector<double> rests;
    auto const rest_of = [](Launch const& launch) {
        double rest = *launch.record.end->elapsed;
        for (auto const& point : launch.record.points)
            rest -= point.elapsed.count();
        return rest;
    };
    for (auto const& launch : launches) {
        for (auto const& point : launch.record.points)
            times[point_of(point)].push_back(point.elapsed.count());
        if (has_end(launch))
            rests.push_back(rest_of(launch));
    }
    double const usual_rest = rests.empty() ? 0 : measure::median(rests);
    std::map<SweptPoint, double> usual_times;
    for (auto const& [point, some] : times)
        usual_times[point] = measure::median(some);
    Numbers numbers;
    for (auto const& launch : launches) {
        if (!has_end(launch)) {
            numbers.emplace_back();
            continue;
        }
        double usual = std::max(usual_rest, 1e-3);
        for (auto const& point : launch.record.points)
            usual += usual_times[point_of(point)];
        numbers.emplace_back(*launch.record.end->elapsed / usual);
    }
    return numbers;
}

/// Logarithm of each number relative to the median of all; 0 if it is not an outlier.
/// \param least  deviation below which a number is never an outlier, as a share
std::vector<double> excesses(Numbers const& numbers, double least) {
    std::vector<double> result(numbers.size(), 0);
    auto const values = present(numbers);
    if (values.size() < fewest_to_compare)
        return result;
    double const middle = measure::median(values);
    std::vector<double> distances;
    for (double const value : values)
        distances.push_back(std::abs(std::log(value / middle)));
    double const limit = std::max(out_of_line * measure::median(distances), std::log1p(least));
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] && std::abs(std::log(*numbers[i] / middle)) > limit)
            result[i] = std::log(*numbers[i] / middle);
    return result;
}

/// Whether more than a fifth are outliers. Then the machine itself varies, and these launches are not disturbed.
bool is_common(std::vector<double> const& excess) {
    auto const out = std::count_if(excess.begin(), excess.end(), [](double one) { return one != 0; });
    return static_cast<std::size_t>(out) * 5 > excess.size();
}

}  // namespace

std::vector<Disturbance> disturbed(std::span<Launch const> launches) {
    std::map<std::size_t, Disturbance> found;
    auto const note = [&](Numbers const& numbers, std::string_view what, double least) {
        auto const excess = excesses(numbers, least);
        if (is_common(excess))
            return;
        for (std::size_t i = 0; i < excess.size(); ++i)
            if (excess[i] != 0)
                found.try_emplace(
                    i, Disturbance{i, std::abs(excess[i]),
                                   fmt::format("{} took {:.2f} times the usual time", what, std::exp(excess[i]))});
    };
    for (auto const control : all_controls)
        note(values_of(launches, control), control_name(control), least_difference);
    note(durations(launches), "the launch", least_delay);
    std::vector<Disturbance> result;
    for (auto& [launch, disturbance] : found)
        result.push_back(std::move(disturbance));
    return result;
}

std::vector<std::string> unsteady_controls(std::span<Launch const> launches) {
    std::vector<std::string> names;
    for (auto const control : all_controls)
        if (is_common(excesses(values_of(launches, control), least_difference)))
            names.push_back(control_name(control));
    return names;
}

namespace {

/// The indices of the disturbed launches of a state that are left out: the worst, at most a fifth of the launches.
std::vector<std::size_t> worst_of(std::vector<Disturbance> found, std::size_t launches) {
    std::sort(found.begin(), found.end(), [](auto const& a, auto const& b) { return a.excess > b.excess; });
    found.resize(std::min(found.size(), launches / 5));
    std::vector<std::size_t> places;
    for (auto const& one : found)
        places.push_back(one.launch);
    return places;
}

}  // namespace

CountingLaunches counting_launches(std::span<Launch const> launches) {
    return counting_launches(launches, states_of_launches(launches));
}

std::array<CountingLaunches, 2> counting_sides(std::span<Launch const> a, std::span<Launch const> b) {
    auto const states = states_of(std::array{a, b});
    if (!states.found.are_several())
        return {counting_launches(a), counting_launches(b)};
    auto const of_side = [&](std::size_t side, std::span<Launch const> launches) {
        auto own = states.found;
        own.of_launch.assign(launches.size(), std::nullopt);
        for (auto& state : own.states)
            state.launches = 0;
        for (auto const& [launch, state] : states.of_side[side]) {
            own.of_launch[launch.first] = state;
            ++own.states[state].launches;
        }
        return counting_launches(launches, std::move(own));
    };
    return {of_side(0, a), of_side(1, b)};
}

CountingLaunches counting_launches(std::span<Launch const> launches, measure::MachineStates found_states) {
    CountingLaunches result{.states = std::move(found_states)};
    auto const& states = result.states;
    std::vector<bool> is_left_out(launches.size());
    for (std::size_t state = 0; state < states.states.size(); ++state) {
        std::vector<Launch> some;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < launches.size(); ++i)
            if (states.of_launch[i] == state) {
                some.push_back(launches[i]);
                places.push_back(i);
            }
        auto found = disturbed(some);
        for (auto const worst : worst_of(found, some.size())) {
            is_left_out[places[worst]] = true;
            ++result.left_out;
        }
        for (auto& one : found) {
            one.launch = places[one.launch];
            result.disturbed.push_back(std::move(one));
        }
    }
    std::sort(result.disturbed.begin(), result.disturbed.end(),
              [](auto const& a, auto const& b) { return a.launch < b.launch; });
    result.states_of_all = {.controls = states.controls, .states = states.states};
    for (auto& state : result.states_of_all.states)
        state.launches = 0;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        auto const state = states.of_launch[i];
        if (!state || is_left_out[i])
            continue;
        result.all.push_back(launches[i]);
        result.states_of_all.of_launch.push_back(state);
        ++result.states_of_all.states[*state].launches;
        if (*state == 0)
            result.main.push_back(launches[i]);
    }
    if (!states.are_several())
        result.unsteady = unsteady_controls(launches);
    return result;
}

}  // namespace measure::tool::runs
