// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/suspects.hpp"

#include "pairs/together.hpp"

#include <measure/shuffle.hpp>
#include <measure/signed_rank.hpp>
#include <measure/two_samples.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <unordered_set>
#include <utility>

namespace measure::tool::pairs {

namespace {

constexpr double scales_away = 2.5;
constexpr double of_median = 1.2533;  // standard error of a median of normal values, times sqrt(n)
constexpr int fewest_repetitions = 3;
constexpr int most_trials = 500;

/// Quantile of the normal distribution.
double normal(double p) { return measure::student_quantile(2 * p - 1, 1e9); }

double widest_scale(Fit const& fit) {
    return fit.scales.empty() ? 0 : *std::max_element(fit.scales.begin(), fit.scales.end());
}

void sort_by_effect(std::vector<Suspect>& suspects) {
    std::stable_sort(suspects.begin(), suspects.end(),
                     [](Suspect const& x, Suspect const& y) { return x.effect > y.effect; });
}

struct SlowLink {
    int a = 0;
    int b = 0;
    double effect = 0;
};

/// The `most` largest links of all processes, in the order of their nodes, on the root. Ties go to the first links.
/// \param mine  links of this process, in that order  \param n  number of nodes
std::vector<SlowLink> largest_links(measure::Comm const& comm, std::vector<SlowLink> mine, int n, std::size_t most) {
    double const count = comm.sum(static_cast<double>(mine.size()));
    if (count > static_cast<double>(most)) {
        std::vector<double> effects;
        for (auto const& link : mine)
            effects.push_back(link.effect);
        double const least = order_statistic(comm, effects, count - static_cast<double>(most));
        // Count the links with exactly this effect up to each row, and the places that larger effects leave to them.
        std::vector<double> alike(index(n));
        double larger = 0;
        for (auto const& link : mine) {
            alike[index(std::min(link.a, link.b))] += link.effect == least ? 1 : 0;
            larger += link.effect > least ? 1 : 0;
        }
        sum(comm, alike);
        double const places = static_cast<double>(most) - comm.sum(larger);
        std::partial_sum(alike.begin(), alike.end(), alike.begin());
        std::map<int, double> taken;  // [row] links with this effect that were kept
        std::erase_if(mine, [&](SlowLink const& link) {
            int const row = std::min(link.a, link.b);
            double const before = row > 0 ? alike[index(row - 1)] : 0;
            return link.effect < least || (link.effect == least && before + taken[row]++ >= places);
        });
    }
    return collect(comm, std::move(mine));
}

/// Draws partners and controls, preferably ones that are not suspects themselves.
class Draws {
public:
    Draws(std::span<Seen const> seen, std::span<Suspect const> suspects, PartnersOf const& partners, std::uint64_t seed)
        : seen_{seen}, suspects_{suspects}, partners_{partners}, random_{seed} {
        for (auto const& suspect : suspects) {
            auto& of_quantity = suspected_[suspect.quantity];
            if (suspect.kind != Kind::link) {
                of_quantity.nodes.insert(suspect.a);
            } else {
                of_quantity.links[suspect.a].insert(suspect.b);
                of_quantity.links[suspect.b].insert(suspect.a);
            }
        }
    }

    /// \return empty if no control is possible
    std::optional<Trial> trial(std::size_t number) {
        auto const& suspect = suspects_[number];
        Trial trial{.suspect = number, .quantity = suspect.quantity};
        if (suspect.kind == Kind::link) {
            trial.candidate = {suspect.a, suspect.b};
            int const of_class = class_of(suspect.quantity, suspect.a, suspect.b);
            auto const x = node_beside(suspect.quantity, suspect.a, suspect.b, of_class);
            auto const y = node_beside(suspect.quantity, suspect.b, suspect.a, of_class);
            if (x)
                trial.controls.push_back({suspect.a, *x});
            if (y)
                trial.controls.push_back({*y, suspect.b});
        } else if (suspect.kind == Kind::binding) {
            int const p = suspect.moved[measure::draw_below(random_, suspect.moved.size())].node;
            trial.candidate = {suspect.a, p};
            if (auto const q = node_beside(suspect.quantity, p, suspect.a, class_of(suspect.quantity, suspect.a, p)))
                trial.controls.push_back({*q, p});
        } else {
            auto const p = node_beside(suspect.quantity, suspect.a, suspect.a, std::nullopt);
            if (!p)
                return std::nullopt;
            auto const with_p = [&](int node) { return suspect.receives ? Pair{*p, node} : Pair{node, *p}; };
            trial.candidate = with_p(suspect.a);
            auto const q = node_beside(suspect.quantity, *p, suspect.a, class_of(suspect.quantity, suspect.a, *p));
            if (q)
                trial.controls.push_back(with_p(*q));
        }
        return trial.controls.empty() ? std::nullopt : std::optional{std::move(trial)};
    }

    void shuffle(std::vector<Trial>& trials) { measure::shuffle(std::span{trials}, random_); }

private:
    [[nodiscard]] int class_of(std::size_t quantity, int i, int j) const { return seen_[quantity].class_of(i, j); }

    /// Draws a node other than `other` whose pair with `node` was measured and has that class. Prefers nodes that are
    /// not suspected and whose link with `node` is not suspected.
    std::optional<int> node_beside(std::size_t quantity, int node, int other, std::optional<int> of_class) {
        std::vector<int> sound;
        std::vector<int> suspected;
        auto const& [nodes, links] = suspected_[quantity];
        auto const linked = links.find(node);
        for (int const i : partners_(quantity, node)) {
            if (i == other || (of_class && class_of(quantity, i, node) != *of_class))
                continue;
            bool const is_suspected = nodes.contains(i) || (linked != links.end() && linked->second.contains(i));
            (is_suspected ? suspected : sound).push_back(i);
        }
        auto const& among = sound.empty() ? suspected : sound;
        if (among.empty())
            return std::nullopt;
        return among[measure::draw_below(random_, among.size())];
    }

    std::span<Seen const> seen_;
    std::span<Suspect const> suspects_;
    PartnersOf const& partners_;
    struct Suspected {
        std::unordered_set<int> nodes{};
        std::map<int, std::set<int>> links{};  ///< [node] the other ends of its suspected links
    };
    std::map<std::size_t, Suspected> suspected_{};  ///< [quantity]
    std::mt19937_64 random_;
};

/// Excess of the candidate over its prediction, minus that of its controls and minus the threshold. For a node, the
/// prediction omits the node's own effect, because that effect is tested. For a binding: how much nearer the candidate
/// is to the level of the other class than to the level of its class.
std::optional<double> difference(Seen const& seen, Suspect const& suspect, Trial const& trial, Outcome const& outcome,
                                 double threshold) {
    auto const beyond = [&](Pair const& pair, double y) {
        return y - seen.fit.predicted(pair.first, pair.second, seen.class_of(pair.first, pair.second));
    };
    double d = beyond(trial.candidate, outcome.candidate);
    if (suspect.kind != Kind::link)
        d += (suspect.receives ? -1 : 1) * seen.fit.effects[index(suspect.a)];
    for (std::size_t k = 0; k < trial.controls.size(); ++k)
        d -= beyond(trial.controls[k], outcome.controls[k]) / static_cast<double>(trial.controls.size());
    if (suspect.kind == Kind::binding) {
        int const j = trial.candidate.second;
        auto const moved =
            std::find_if(suspect.moved.begin(), suspect.moved.end(), [&](Moved const& pair) { return pair.node == j; });
        double const gap =
            seen.fit.levels[index(moved->of_class)] - seen.fit.levels[index(seen.class_of(suspect.a, j))];
        d = std::copysign(1, gap) * d - std::abs(gap) / 2;
    } else {
        d -= std::log1p(threshold);
    }
    return std::isnan(d) ? std::nullopt : std::optional{d};
}

struct Differences {
    std::vector<double> values{};
    std::size_t controls = 0;
};

/// [suspect] the differences in `count` trials of each suspect in `which`.
std::vector<Differences> differences(std::span<Seen const> seen, std::span<Suspect const> suspects,
                                     std::vector<std::size_t> const& which, int count, Draws& draws, double threshold,
                                     CarryOut const& carry_out) {
    std::vector<Trial> trials;
    for (std::size_t const number : which)
        for (int k = 0; k < count; ++k)
            if (auto trial = draws.trial(number))
                trials.push_back(std::move(*trial));
    draws.shuffle(trials);
    auto const outcomes = carry_out(trials);
    std::vector<Differences> found(suspects.size());
    for (std::size_t t = 0; t < trials.size(); ++t) {
        auto const& trial = trials[t];
        if (auto const d = difference(seen[trial.quantity], suspects[trial.suspect], trial, outcomes[t], threshold)) {
            found[trial.suspect].values.push_back(*d);
            found[trial.suspect].controls += trial.controls.size();
        }
    }
    return found;
}

}  // namespace

std::vector<Suspect> screen(measure::Comm const& comm, std::span<Seen const> seen, double threshold) {
    std::vector<Suspect> all;
    for (std::size_t q = 0; q < seen.size(); ++q) {
        auto const& fit = seen[q].fit;
        int const n = static_cast<int>(fit.effects.size());
        if (n < fewest_nodes)
            continue;
        std::size_t const most = std::max<std::size_t>(10, index(n));
        bool const is_directed = fit.form == Form::directed;
        auto const is_suspect = [&](double effect, double scale) {
            return effect > std::log1p(threshold) && effect > scales_away * scale;
        };
        std::vector<SlowLink> slow;
        fit.residuals.for_each([&](int i, int j, double residual) {
            double const scale = fit.scales[index(seen[q].class_of(i, j))];
            if (is_suspect(residual, scale))
                slow.push_back({i, j, residual});
            else if (is_directed && is_suspect(-residual, scale))
                slow.push_back({j, i, -residual});
        });
        std::vector<Suspect> links;
        for (auto const& link : largest_links(comm, std::move(slow), n, most))
            links.push_back({.kind = Kind::link, .quantity = q, .a = link.a, .b = link.b, .effect = link.effect});
        std::vector<Suspect> nodes;
        for (int i = 0; i < n; ++i) {
            double const effect = fit.effects[index(i)];
            bool const receives = is_directed && effect < 0;
            double const size = receives ? -effect : effect;
            if (is_suspect(size, fit.effect_scale))
                nodes.push_back(
                    {.kind = Kind::node, .quantity = q, .a = i, .b = i, .receives = receives, .effect = size});
        }
        sort_by_effect(links);
        sort_by_effect(nodes);
        all.insert(all.end(), nodes.begin(), nodes.end());
        all.insert(all.end(), links.begin(), links.end());
    }
    return all;
}

std::vector<Suspect> beyond_scatter(std::span<Seen const> seen, std::vector<Suspect> suspects, Rules const& rules) {
    std::erase_if(suspects, [&](Suspect const& suspect) {
        auto const& fit = seen[suspect.quantity].fit;
        bool const is_node = suspect.kind == Kind::node;
        double const scale =
            is_node ? fit.effect_scale : fit.scales[index(seen[suspect.quantity].class_of(suspect.a, suspect.b))];
        auto const n = static_cast<double>(fit.effects.size());
        double const among = is_node ? n : n * (n - 1) / 2;
        return suspect.effect < std::log1p(rules.threshold) + normal(1 - rules.alpha / among) * scale;
    });
    return suspects;
}

Verdict confirm(std::span<Seen const> seen, std::span<Suspect const> suspects, Rules const& rules,
                CarryOut const& carry_out, PartnersOf const& partners) {
    Verdict verdict{.screened = suspects.size()};
    if (suspects.empty())
        return verdict;
    Draws draws{seen, suspects, partners, rules.seed};
    std::vector<std::size_t> all(suspects.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = k;
    auto const first = differences(seen, suspects, all, rules.sieve, draws, rules.threshold, carry_out);
    std::vector<std::size_t> remaining;
    for (std::size_t const k : all)
        if (first[k].values.empty() || measure::median(first[k].values) > 0)
            remaining.push_back(k);
    verdict.sieved = remaining.size();
    if (remaining.empty())
        return verdict;
    // The smallest possible p must be below alpha / K, with room for single negative differences.
    double const share = static_cast<double>(remaining.size()) / rules.alpha;
    verdict.confirm = std::max(rules.confirm, static_cast<int>(std::ceil(std::log2(share))) + 4);
    auto const fresh = differences(seen, suspects, remaining, verdict.confirm, draws, rules.threshold, carry_out);
    std::vector<double> ps;
    for (std::size_t const k : remaining) {
        auto const& values = fresh[k].values;
        Finding finding{.suspect = suspects[k], .trials = values.size(), .controls = fresh[k].controls};
        finding.p = measure::signed_rank_above(values).p;
        if (!values.empty() && finding.suspect.kind != Kind::binding) {
            double const back = 1 + rules.threshold;
            finding.effect = back * std::exp(measure::median(values)) - 1;
            if (auto const interval = measure::quantile_interval(values, 0.5, 0.95))
                finding.interval =
                    measure::Interval{back * std::exp(interval->first) - 1, back * std::exp(interval->second) - 1};
        }
        ps.push_back(finding.p);
        verdict.findings.push_back(finding);
    }
    auto const adjusted = measure::holm(ps);
    for (std::size_t k = 0; k < adjusted.size(); ++k) {
        verdict.findings[k].adjusted_p = adjusted[k];
        verdict.findings[k].confirmed = adjusted[k] <= rules.alpha;
    }
    std::stable_sort(verdict.findings.begin(), verdict.findings.end(), [](Finding const& x, Finding const& y) {
        return std::pair{!x.confirmed, -x.effect} < std::pair{!y.confirmed, -y.effect};
    });
    return verdict;
}

Detectable detectable(Fit const& fit, double noise, int repetitions, std::size_t suspects, Rules const& rules) {
    double const matters = std::log1p(rules.threshold);
    double const sure = normal(1 - (1 - rules.power) / 3);
    constexpr double of_signed_rank = 0.955;  // efficiency of the test
    auto const smallest = [&](double scale, double error_of_screen, double noise_of_trial) {
        double const screened = std::max(matters, scales_away * scale) + sure * error_of_screen;
        double const sieved = matters + sure * of_median * noise_of_trial / std::sqrt(rules.sieve);
        double const tested = matters + (normal(1 - rules.alpha / static_cast<double>(suspects)) + sure) *
                                            noise_of_trial / std::sqrt(of_signed_rank * rules.confirm);
        return std::expm1(std::max({screened, sieved, tested}));
    };
    double const of_link = of_median * noise / std::sqrt(repetitions);
    double const partners = std::max(1.0, fit.partners);
    return {.link = smallest(widest_scale(fit), of_link, noise * std::sqrt(1.5)),
            .node = smallest(fit.effect_scale, of_median * of_link / std::sqrt(partners), noise * std::sqrt(2.0))};
}

Effort effort_for(Fit const& first, double effect, int most, Rules rules) {
    double const noise = widest_scale(first);
    auto const suspects = std::max<std::size_t>(1, first.effects.size());
    Fit fit{.effects = first.effects, .effect_scale = first.effect_scale, .partners = first.partners};
    Effort effort;
    auto const is_enough = [&](int repetitions, int confirm) {
        rules.confirm = confirm;
        fit.scales = {of_median * noise / std::sqrt(repetitions)};
        effort = {repetitions, confirm, detectable(fit, noise, repetitions, suspects, rules)};
        return std::max(effort.reach.link, effort.reach.node) <= effect;
    };
    // With the maximum of trials, only the repetitions and the sieve limit what is found.
    int const confirm = rules.confirm;
    int repetitions = std::min(fewest_repetitions, most);
    while (repetitions < most && !is_enough(repetitions, most_trials))
        ++repetitions;
    int trials = confirm;
    while (!is_enough(repetitions, trials) && trials < most_trials)
        ++trials;
    return effort;
}

}  // namespace measure::tool::pairs
