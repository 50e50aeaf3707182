// SPDX-License-Identifier: BSD-3-Clause
#include "tune/decide.hpp"

#include <measure/signed_rank.hpp>
#include <measure/statistics.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace measure::tool::tune {

namespace {

/// The test of one rival in one segment.
struct Trial {
    std::size_t segment = 0;
    std::size_t rival = 0;
    double gain = 0;  ///< median gain, as a logarithm
    double p = 1;
    double q = 1;
};

double p_above(std::span<double const> gains, double threshold) {
    std::vector<double> ds(gains.begin(), gains.end());
    for (double& d : ds)
        d -= std::log1p(threshold);
    return measure::signed_rank_above(ds).p;
}

std::string why_not(Rival const& rival, Trial const& trial, double threshold, double fdr) {
    double const gain = std::expm1(trial.gain) * 100;
    if (trial.gain > std::log1p(threshold))
        return fmt::format("{}: {} seems to gain {:.1f} %", not_certain, rival.algorithm, gain);
    if (p_above(rival.gains, 0) <= fdr)
        return fmt::format("below the threshold: {} gains {:.1f} %, less than {:.1f} %", rival.algorithm, gain,
                           threshold * 100);
    return "no difference";
}

/// The trials of a segment that pass and are within the threshold of the best, best first.
std::vector<Trial> passing(std::span<Trial const> trials, std::size_t segment, double threshold, double fdr) {
    std::vector<Trial> result;
    for (auto const& trial : trials)
        if (trial.segment == segment && trial.q <= fdr)
            result.push_back(trial);
    std::sort(result.begin(), result.end(), [](auto const& a, auto const& b) { return a.gain > b.gain; });
    if (!result.empty())
        std::erase_if(result,
                      [&, best = result.front().gain](auto const& t) { return best - t.gain > std::log1p(threshold); });
    return result;
}

}  // namespace

std::vector<double> benjamini_hochberg(std::span<double const> ps) {
    std::vector<std::size_t> order(ps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ps[a] < ps[b]; });
    std::vector<double> result(ps.size(), 1);
    double least = 1;
    for (std::size_t i = order.size(); i > 0; --i) {
        least = std::min(least, static_cast<double>(ps.size()) / static_cast<double>(i) * ps[order[i - 1]]);
        result[order[i - 1]] = least;
    }
    return result;
}

double aa_noise(std::span<double const> values, std::size_t launches) {
    if (values.size() < 2 || launches == 0)
        return 0;
    std::vector<double> ratios;
    for (double const value : values)
        ratios.push_back(std::exp(value));
    constexpr double normal = 1.96;
    constexpr double of_median = 1.2533;
    double const error = of_median * measure::log_scale(ratios) / std::sqrt(static_cast<double>(launches));
    return std::expm1(std::abs(measure::median(values)) + normal * error);
}

std::vector<Choice> decide(std::span<SegmentLaunches const> segments, DecideRules const& rules) {
    std::vector<Choice> choices(segments.size());
    std::vector<Trial> trials;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        std::vector<double> pooled;
        for (auto const& other : segments)
            if (other.collective == segments[s].collective)
                pooled.insert(pooled.end(), other.noise.begin(), other.noise.end());
        choices[s].noise = aa_noise(pooled, segments[s].noise.size());
        choices[s].threshold = std::max(rules.gain, choices[s].noise);
        for (std::size_t r = 0; r < segments[s].rivals.size(); ++r) {
            auto const& gains = segments[s].rivals[r].gains;
            if (!gains.empty())
                trials.push_back({.segment = s,
                                  .rival = r,
                                  .gain = measure::median(gains),
                                  .p = p_above(gains, choices[s].threshold)});
        }
    }
    std::vector<double> ps;
    for (auto const& trial : trials)
        ps.push_back(trial.p);
    auto const qs = benjamini_hochberg(ps);
    for (std::size_t i = 0; i < trials.size(); ++i)
        trials[i].q = qs[i];

    auto const name = [&](Trial const& t) { return segments[t.segment].rivals[t.rival].algorithm; };
    auto const take = [&](std::size_t s, Trial const& t) {
        auto& choice = choices[s];
        choice.best = name(t);
        choice.gain = std::expm1(t.gain);
        choice.p = t.p;
        choice.q = t.q;
    };
    std::vector<std::vector<Trial>> good(segments.size());
    for (std::size_t s = 0; s < segments.size(); ++s) {
        good[s] = passing(trials, s, choices[s].threshold, rules.fdr);
        if (!good[s].empty()) {
            take(s, good[s].front());
            choices[s].algorithm = choices[s].best;
            continue;
        }
        Trial const* best = nullptr;
        for (auto const& trial : trials)
            if (trial.segment == s && (best == nullptr || trial.gain > best->gain))
                best = &trial;
        if (best == nullptr) {
            choices[s].reason = "no other algorithm is left";
            continue;
        }
        take(s, *best);
        choices[s].reason = why_not(segments[s].rivals[best->rival], *best, choices[s].threshold, rules.fdr);
    }
    // Take the neighbour's algorithm if it is as good, for fewer switches.
    for (std::size_t s = 1; s < segments.size(); ++s)
        for (auto const& trial : good[s])
            if (segments[s - 1].collective == segments[s].collective && name(trial) == choices[s - 1].algorithm) {
                take(s, trial);
                choices[s].algorithm = choices[s].best;
            }
    return choices;
}

}  // namespace measure::tool::tune
