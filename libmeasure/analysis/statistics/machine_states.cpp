// SPDX-License-Identifier: BSD-3-Clause
#include "measure/machine_states.hpp"

#include "core/require.hpp"
#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace measure {

namespace {

/// Two states of the machine and two of a neighbouring job make four.
constexpr std::size_t most_states = 4;
constexpr double least_deviation = 0.01;  ///< lower limit for the standard deviation of logarithms
constexpr double mad_to_deviation = 1.4826;
constexpr double most_deviations = 4;  ///< larger distances count as this many standard deviations
constexpr int most_turns = 100;
/// If the share of launches with a change of state is larger, the states do not last and are rejected.
constexpr double most_changes = 1.0 / 3;

/// State of each launch; empty if it has none.
using StateOfLaunch = std::vector<std::optional<std::size_t>>;

std::size_t fewest_of(std::size_t all) {
    auto const share = static_cast<std::size_t>(std::ceil(least_share_of_state * static_cast<double>(all)));
    return std::max(share, fewest_launches_of_state);
}

/// Mixture of normal distributions with a common standard deviation, centres ascending.
struct Mixture {
    std::vector<double> centres{};
    std::vector<double> shares{};
    double deviation = 0;
    std::vector<double> own_deviations{};  ///< standard deviation of each component alone
    double bic = 0;

    friend bool operator==(Mixture const&, Mixture const&) = default;
};

/// The values of each state, sorted: cut at the largest gaps into `states` groups. Empty if a state would have fewer
/// than `fewest` values. \param sorted  ascending
std::optional<std::vector<std::vector<double>>> cut_at_gaps(std::vector<double> const& sorted, std::size_t states,
                                                            std::size_t fewest) {
    std::vector<std::size_t> cuts{0, sorted.size()};
    while (cuts.size() < states + 1) {
        double widest_gap = -1;
        std::size_t place = 0;
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            auto const next = std::upper_bound(cuts.begin(), cuts.end(), i);
            bool const has_room = i - *std::prev(next) >= fewest && *next - i >= fewest;
            if (double const gap = sorted[i] - sorted[i - 1]; has_room && gap > widest_gap) {
                widest_gap = gap;
                place = i;
            }
        }
        if (place == 0)
            return std::nullopt;
        cuts.insert(std::upper_bound(cuts.begin(), cuts.end(), place), place);
    }
    std::vector<std::vector<double>> groups;
    for (std::size_t k = 0; k < states; ++k)
        groups.emplace_back(sorted.begin() + static_cast<std::ptrdiff_t>(cuts[k]),
                            sorted.begin() + static_cast<std::ptrdiff_t>(cuts[k + 1]));
    return groups;
}

double deviation_of(std::vector<double> distances) {
    return std::max(mad_to_deviation * median(distances), least_deviation);
}

/// Parameters of the mixture for these groups.
Mixture described(std::vector<std::vector<double>> const& groups) {
    std::size_t values = 0;
    for (auto const& group : groups)
        values += group.size();
    Mixture mixture;
    std::vector<double> all;
    for (auto const& group : groups) {
        double const centre = median(group);
        std::vector<double> own;
        for (double const x : group)
            own.push_back(std::abs(x - centre));
        all.insert(all.end(), own.begin(), own.end());
        mixture.centres.push_back(centre);
        mixture.shares.push_back(static_cast<double>(group.size()) / static_cast<double>(values));
        mixture.own_deviations.push_back(deviation_of(std::move(own)));
    }
    mixture.deviation = deviation_of(std::move(all));
    return mixture;
}

/// Logarithm of the density of a value in a state, up to a constant.
double log_density(Mixture const& mixture, std::size_t state, double x, double most) {
    double const distance = std::min(std::abs(x - mixture.centres[state]) / mixture.deviation, most);
    return std::log(mixture.shares[state] / mixture.deviation) - distance * distance / 2;
}

/// Logarithm of the sum of the exponentials.
double log_sum(std::vector<double> const& logs) {
    double const largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (double const each : logs)
        sum += std::exp(each - largest);
    return largest + std::log(sum);
}

std::vector<double> log_densities(Mixture const& mixture, double x, double most) {
    std::vector<double> logs;
    for (std::size_t state = 0; state < mixture.centres.size(); ++state)
        logs.push_back(log_density(mixture, state, x, most));
    return logs;
}

std::size_t most_probable(Mixture const& mixture, double x) {
    auto const logs = log_densities(mixture, x, HUGE_VAL);
    return static_cast<std::size_t>(std::max_element(logs.begin(), logs.end()) - logs.begin());
}

double bic_of(Mixture const& mixture, std::vector<double> const& xs) {
    double log_likelihood = 0;
    for (double const x : xs)
        log_likelihood += log_sum(log_densities(mixture, x, most_deviations));
    auto const states = static_cast<double>(mixture.centres.size());
    return -2 * log_likelihood + 2 * states * std::log(static_cast<double>(xs.size()));
}

bool is_separated(Mixture const& mixture, std::size_t lower) {
    double const distance = mixture.centres[lower + 1] - mixture.centres[lower];
    double const deviation =
        std::max({mixture.deviation, mixture.own_deviations[lower], mixture.own_deviations[lower + 1]});
    return distance >= std::log(least_distance_of_states) && distance >= least_separation_of_states * deviation;
}

/// Fits a mixture; empty if the values do not separate into that many states. \param xs  logarithms, ascending
std::optional<Mixture> fit(std::vector<double> const& xs, std::size_t states) {
    auto const fewest = fewest_of(xs.size());
    auto groups = cut_at_gaps(xs, states, fewest);
    if (!groups)
        return std::nullopt;
    auto mixture = described(*groups);
    for (int turn = 0; turn < most_turns; ++turn) {
        std::vector<std::vector<double>> next(states);
        for (double const x : xs)
            next[most_probable(mixture, x)].push_back(x);
        for (auto const& group : next)
            if (group.size() < fewest)
                return std::nullopt;
        auto better = described(next);
        if (better == mixture)
            break;
        mixture = std::move(better);
    }
    for (std::size_t lower = 0; lower + 1 < states; ++lower)
        if (!is_separated(mixture, lower))
            return std::nullopt;
    mixture.bic = bic_of(mixture, xs);
    return mixture;
}

std::optional<std::size_t> state_of_value(Mixture const& mixture, double x) {
    auto const logs = log_densities(mixture, x, HUGE_VAL);
    auto const state = static_cast<std::size_t>(std::max_element(logs.begin(), logs.end()) - logs.begin());
    // A value farther away than the smallest distance of two states belongs to a state that is too rare to be fitted.
    double const deviation = std::max(mixture.deviation, mixture.own_deviations[state]);
    bool const is_far = std::abs(x - mixture.centres[state]) >
                        std::max(std::log(least_distance_of_states), least_separation_of_states * deviation);
    if (is_far || std::exp(logs[state] - log_sum(logs)) < least_posterior_of_state)
        return std::nullopt;
    return state;
}

/// State of each launch, from one control.
struct Assigned {
    ControlSeries const* control = nullptr;
    double separation = HUGE_VAL;  ///< of the two closest states, in standard deviations
    StateOfLaunch of_launch{};
};

/// Empty if a state has too few launches, or if the state changed within too many launches.
std::optional<Assigned> assigned(ControlSeries const& control, Mixture const& mixture) {
    Assigned result{.control = &control};
    for (std::size_t lower = 0; lower + 1 < mixture.centres.size(); ++lower)
        result.separation =
            std::min(result.separation, (mixture.centres[lower + 1] - mixture.centres[lower]) / mixture.deviation);
    std::size_t changes = 0;
    std::vector<std::size_t> launches(mixture.centres.size());
    for (auto const& launch : control.values) {
        std::vector<std::optional<std::size_t>> states;
        for (double const value : launch)
            states.push_back(state_of_value(mixture, std::log(value)));
        bool const is_one = !states.empty() && std::all_of(states.begin(), states.end(), [&](auto const& state) {
            return state && state == states.front();
        });
        result.of_launch.push_back(is_one ? states.front() : std::nullopt);
        if (is_one)
            ++launches[*states.front()];
        else if (!states.empty())
            ++changes;
    }
    auto const all = control.values.size();
    if (*std::min_element(launches.begin(), launches.end()) < fewest_of(all) ||
        static_cast<double>(changes) > most_changes * static_cast<double>(all))
        return std::nullopt;
    return result;
}

/// The states of one control; empty if it has only one.
std::optional<Assigned> states_of(ControlSeries const& control) {
    std::vector<double> xs;
    for (auto const& launch : control.values)
        for (double const value : launch) {
            require(value > 0 && std::isfinite(value), "machine_states: values of controls must be above 0");
            xs.push_back(std::log(value));
        }
    std::sort(xs.begin(), xs.end());
    auto const one = xs.size() < fewest_launches_of_state ? std::nullopt : fit(xs, 1);
    if (!one)
        return std::nullopt;
    std::optional<Assigned> best;
    double best_bic = one->bic;
    for (std::size_t states = 2; states <= most_states; ++states)
        if (auto const mixture = fit(xs, states); mixture && mixture->bic < best_bic)
            if (auto found = assigned(control, *mixture)) {
                best = std::move(found);
                best_bic = mixture->bic;
            }
    return best;
}

/// The joint state of each launch: the combination of its states over all controls.
using Combination = std::vector<std::size_t>;
std::vector<std::optional<Combination>> combined(std::span<Assigned const> all, std::size_t launches) {
    std::vector<std::optional<Combination>> result(launches);
    for (std::size_t launch = 0; launch < launches; ++launch) {
        Combination combination;
        for (auto const& one : all)
            if (auto const& state = one.of_launch[launch])
                combination.push_back(*state);
        if (combination.size() == all.size())
            result[launch] = std::move(combination);
    }
    return result;
}

/// Empty if a combination has too few launches, or if there is only one combination.
std::optional<MachineStates> joint_states(std::span<Assigned const> all, std::size_t launches) {
    auto const of_launch = combined(all, launches);
    std::map<Combination, std::vector<std::size_t>> members;
    for (std::size_t launch = 0; launch < launches; ++launch)
        if (of_launch[launch])
            members[*of_launch[launch]].push_back(launch);
    for (auto const& [combination, some] : members)
        if (some.size() < fewest_of(launches))
            return std::nullopt;
    if (members.size() < 2)
        return std::nullopt;
    // Combinations are sorted with smaller control values first; the stable sort keeps that order for equal sizes.
    std::vector<std::vector<std::size_t>> ordered;
    for (auto& [combination, some] : members)
        ordered.push_back(std::move(some));
    std::stable_sort(ordered.begin(), ordered.end(), [](auto const& a, auto const& b) { return a.size() > b.size(); });
    MachineStates result{.of_launch = std::vector<std::optional<std::size_t>>(launches)};
    for (auto const& one : all)
        result.controls.push_back(one.control->name);
    for (auto const& some : ordered) {
        MachineState state{.launches = some.size()};
        for (auto const& one : all) {
            std::vector<double> values;
            for (std::size_t const launch : some)
                values.insert(values.end(), one.control->values[launch].begin(), one.control->values[launch].end());
            state.centres.push_back(median(values));
        }
        for (std::size_t const launch : some)
            result.of_launch[launch] = result.states.size();
        result.states.push_back(std::move(state));
    }
    return result;
}

MachineStates one_state(std::size_t launches) {
    return {.states = {{.launches = launches}},
            .of_launch = std::vector<std::optional<std::size_t>>(launches, std::size_t{0})};
}

}  // namespace

std::size_t MachineStates::launches_in_none() const noexcept {
    return static_cast<std::size_t>(std::count(of_launch.begin(), of_launch.end(), std::nullopt));
}

MachineStates machine_states(std::span<ControlSeries const> controls) {
    std::size_t const launches = controls.empty() ? 0 : controls.front().values.size();
    std::vector<Assigned> telling;
    for (auto const& control : controls) {
        require(control.values.size() == launches,
                "machine_states: all controls must have the same number of launches");
        if (auto one = states_of(control))
            telling.push_back(*std::move(one));
    }
    std::stable_sort(telling.begin(), telling.end(),
                     [](Assigned const& a, Assigned const& b) { return a.separation > b.separation; });
    if (auto joint = joint_states(telling, launches))
        return *std::move(joint);
    for (auto const& one : telling)
        if (auto alone = joint_states(std::span{&one, 1}, launches))
            return *std::move(alone);
    return one_state(launches);
}

}  // namespace measure
