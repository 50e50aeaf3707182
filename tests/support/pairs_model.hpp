// SPDX-License-Identifier: BSD-3-Clause
/// Pairs model: a machine whose pairs have known times, noise and faults, and complete runs of `measure pairs` on it.
#pragma once

#include "pairs/suspects.hpp"
#include "pairs/tournament.hpp"
#include "support/pairs_tables.hpp"

#include <measure/shuffle.hpp>
#include <measure/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace test {

struct PairsModel {
    int nodes = 16;
    double noise = 0.05;        ///< standard deviation of the logarithm of one measurement
    double delays = 0.02;       ///< share of measurements with a rare delay, which adds 50 % on average
    double node_spread = 0.01;  ///< standard deviation of node effects
    int group = 4;              ///< number of nodes whose pairs with each other form a separate class
    std::size_t repetitions = 7;
    double missing = 0;  ///< share of pairs that are not measured
    int rounds = 0;      ///< number of randomly chosen rounds that are measured; 0 = all

    std::vector<measure::tool::pairs::Pair> slow_links{};
    std::vector<int> slow_nodes{};
    double slower = 0;  ///< relative slowdown of these links and nodes
};

/// Scatter of one measurement, added to the logarithm of a time: normal noise, and rare delays of 50 % on average.
class Scatter {
public:
    Scatter(double noise, double delays) : noise_{noise}, delays_{delays} {}

    double operator()(std::mt19937_64& random) {
        double y = noise_ * normal_(random);
        if (uniform_(random) < delays_)
            y += std::log1p(-0.5 * std::log1p(-uniform_(random)));
        return y;
    }

private:
    double noise_;
    double delays_;
    std::normal_distribution<double> normal_{};
    std::uniform_real_distribution<double> uniform_{};
};

/// Returns a function that carries out trials in the requested order; `look(i, j)` returns the logarithm of one
/// measurement.
template <class Look>
auto carried_out_by(Look look) {
    return [look = std::move(look)](std::span<measure::tool::pairs::Trial const> trials) mutable {
        std::vector<measure::tool::pairs::Outcome> outcomes;
        for (auto const& trial : trials) {
            measure::tool::pairs::Outcome outcome{.candidate = look(trial.candidate.first, trial.candidate.second)};
            for (auto const& [i, j] : trial.controls)
                outcome.controls.push_back(look(i, j));
            outcomes.push_back(std::move(outcome));
        }
        return outcomes;
    };
}

/// One run after another; each run has its own machine effects.
class ModelMachine {
public:
    ModelMachine(PairsModel const& model, std::uint64_t seed)
        : model_{model}, random_{seed}, scatter_{model.noise, model.delays}, classes_(model.nodes) {
        for (int i = 0; i < model.nodes; ++i) {
            effects_.push_back(model.node_spread * normal_(random_));
            for (int j = i + 1; j < model.nodes; ++j)
                classes_.at(i, j) = i / model.group == j / model.group ? 0 : 1;
        }
    }

    [[nodiscard]] measure::tool::pairs::PairTable<int> const& classes() const noexcept { return classes_; }

    /// Returns the logarithm of one measurement.
    double look(int i, int j) {
        double y = (classes_.at(i, j) == 0 ? 0.0 : 0.7) + effects_[static_cast<std::size_t>(i)] +
                   effects_[static_cast<std::size_t>(j)];
        double const fault = std::log1p(model_.slower);
        y += fault * static_cast<double>(std::count(model_.slow_nodes.begin(), model_.slow_nodes.end(), i) +
                                         std::count(model_.slow_nodes.begin(), model_.slow_nodes.end(), j) +
                                         std::count(model_.slow_links.begin(), model_.slow_links.end(),
                                                    measure::tool::pairs::pair_of(i, j)));
        return y + scatter_(random_);
    }

    /// Returns the medians over the repetitions.
    measure::tool::pairs::PairTable<double> tournament() {
        measure::tool::pairs::PairTable<double> logs(model_.nodes, measure::tool::pairs::not_measured);
        std::vector<double> values(model_.repetitions);
        auto const met = met_pairs();
        for (int i = 0; i < model_.nodes; ++i)
            for (int j = i + 1; j < model_.nodes; ++j) {
                if (model_.rounds > 0 && met.count({i, j}) == 0)
                    continue;
                if (uniform_(random_) < model_.missing)
                    continue;
                for (double& value : values)
                    value = look(i, j);
                logs.at(i, j) = measure::median(values);
            }
        return logs;
    }

private:
    /// Returns the pairs of the measured rounds; empty if all rounds are measured.
    std::set<measure::tool::pairs::Pair> met_pairs() {
        std::set<measure::tool::pairs::Pair> met;
        if (model_.rounds == 0)
            return met;
        std::vector<int> seats(static_cast<std::size_t>(model_.nodes));
        std::iota(seats.begin(), seats.end(), 0);
        measure::shuffle(std::span{seats}, random_);
        std::vector<int> rounds(static_cast<std::size_t>(measure::tool::pairs::rounds_of(model_.nodes)));
        std::iota(rounds.begin(), rounds.end(), 0);
        measure::shuffle(std::span{rounds}, random_);
        rounds.resize(static_cast<std::size_t>(model_.rounds));
        for (int const round : rounds)
            for (auto const& [a, b] : measure::tool::pairs::meetings(model_.nodes, round))
                met.insert(measure::tool::pairs::pair_of(seats[static_cast<std::size_t>(a)],
                                                         seats[static_cast<std::size_t>(b)]));
        return met;
    }

    PairsModel const& model_;
    std::mt19937_64 random_;
    Scatter scatter_;
    std::normal_distribution<double> normal_{};
    std::uniform_real_distribution<double> uniform_{};
    std::vector<double> effects_{};
    measure::tool::pairs::PairTable<int> classes_;
};

struct ModelRun {
    measure::tool::pairs::Fit fit{};
    measure::tool::pairs::Verdict verdict{};
};

inline ModelRun run_model(PairsModel const& model, std::uint64_t seed, measure::tool::pairs::Rules const& rules = {}) {
    ModelMachine machine{model, seed};
    auto const logs = machine.tournament();
    measure::tool::pairs::Seen const seen{classes_in(machine.classes()),
                                          measure::tool::pairs::fit(logs, machine.classes(), 2)};
    std::span<measure::tool::pairs::Seen const> const all{&seen, 1};
    auto const suspects = measure::tool::pairs::screen(all, rules.threshold);
    return {seen.fit, confirm(all, suspects, rules, carried_out_by([&](int i, int j) { return machine.look(i, j); }))};
}

/// Counts over many runs of a model.
struct ModelCounts {
    int runs = 0;
    int alarms = 0;                ///< runs with a false finding
    int found = 0;                 ///< detected faults
    int faults = 0;                ///< existing faults in all runs
    int held = 0;                  ///< detected faults whose interval contains the truth
    std::vector<double> errors{};  ///< relative errors of the estimated effects
};

inline ModelCounts run_models(PairsModel const& model, int runs, measure::tool::pairs::Rules const& rules = {}) {
    using measure::tool::pairs::Kind;
    ModelCounts counts{.runs = runs};
    for (int run = 0; run < runs; ++run) {
        auto const result = run_model(model, static_cast<std::uint64_t>(run) + 1, rules);
        bool has_alarm = false;
        for (auto const& finding : result.verdict.findings) {
            if (!finding.confirmed)
                continue;
            auto const& suspect = finding.suspect;
            bool const is_fault = suspect.kind == Kind::node
                                      ? std::count(model.slow_nodes.begin(), model.slow_nodes.end(), suspect.a) > 0
                                      : std::count(model.slow_links.begin(), model.slow_links.end(),
                                                   measure::tool::pairs::pair_of(suspect.a, suspect.b)) > 0;
            has_alarm = has_alarm || !is_fault;
            if (!is_fault)
                continue;
            ++counts.found;
            counts.errors.push_back(finding.effect - model.slower);
            if (finding.interval && finding.interval->first <= model.slower && model.slower <= finding.interval->second)
                ++counts.held;
        }
        counts.alarms += has_alarm ? 1 : 0;
        counts.faults += static_cast<int>(model.slow_links.size() + model.slow_nodes.size());
    }
    return counts;
}

}  // namespace test
