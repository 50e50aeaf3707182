// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/compare/compare.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/points.hpp"

#include <measure/launches.hpp>
#include <measure/two_samples.hpp>

#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace measure {

namespace {

constexpr std::array<std::string_view, 8> verdict_names{"faster", "slower",  "higher",     "lower",
                                                        "same",   "unclear", "one launch", "machine"};

enum class Better { less, more, unknown };

Better better(Quantity quantity) {
    if (quantity == Quantity::time)
        return Better::less;
    return is_rate(quantity) ? Better::more : Better::unknown;
}

Verdict direction(Quantity quantity, double ratio) {
    bool const is_more = ratio > 1;
    auto const good = better(quantity);
    if (good == Better::unknown)
        return is_more ? Verdict::higher : Verdict::lower;
    return is_more == (good == Better::more) ? Verdict::faster : Verdict::slower;
}

bool is_beyond(double ratio, double threshold) { return std::max(ratio, 1 / ratio) > 1 + threshold; }

bool lies_within(Interval const& interval, double threshold) {
    return !is_beyond(interval.first, threshold) && !is_beyond(interval.second, threshold);
}

bool excludes_one(Interval const& interval) { return interval.first > 1 || interval.second < 1; }

/// Confidence interval of the value. Prefers the interval of the median, which assumes no distribution.
std::optional<Interval> positive_interval(Record const& record) {
    auto const e = estimate_of_launch(record);
    if (!e)
        return std::nullopt;
    auto const interval = e->median_interval ? e->median_interval : e->interval;
    bool const is_good = interval && interval->first > 0 && interval->second >= interval->first &&
                         std::isfinite(interval->first) && std::isfinite(interval->second);
    return is_good ? interval : std::nullopt;
}

using Index = std::map<PointKey, Observed const*>;

Index index_of(std::vector<Observed> const& points) {
    Index index;
    for (auto const& point : points)
        index.emplace(point_key(point.point, point.occurrence), &point);
    return index;
}

Observed const* partner(Observed const& of, Index const& others) {
    auto const found = others.find(point_key(of.point, of.occurrence));
    return found == others.end() ? nullptr : found->second;
}

/// Observations of a point on both sides, and from the noise launches.
struct Pair {
    Observed const* a;
    Observed const* b;
    Observed const* noise;  ///< nullptr: no noise launches
};

/// All points of an operation combined into one value per launch, from launches that have all points. If these are too
/// few for an interval, launches with some points count too. Each point is normalised by its own middle, and a
/// launch has the mean of its points. This weakens differences in points that few launches have.
struct OperationValues {
    Observed a{};
    Observed b{};
    Observed noise{};
};

/// The points of an operation. An operation with a single point is represented by it.
struct Operation {
    PointName name{};
    std::vector<Pair> pairs{};
    OperationValues values{};

    [[nodiscard]] bool is_point() const { return pairs.size() == 1; }
    [[nodiscard]] Observed const& of_a() const { return is_point() ? *pairs.front().a : values.a; }
    [[nodiscard]] Observed const& of_b() const { return is_point() ? *pairs.front().b : values.b; }
    [[nodiscard]] Observed const* noise() const { return is_point() ? pairs.front().noise : &values.noise; }
};

/// The launches in a state; all launches if there is only one state.
LaunchValues in_state(LaunchValues const& values, SideStates const& states, std::size_t side, std::size_t state) {
    if (!states.found.are_several())
        return values;
    LaunchValues some;
    for (auto const& [launch, value] : values)
        if (auto const found = states.of_side[side].find(launch);
            found != states.of_side[side].end() && found->second == state)
            some[launch] = value;
    return some;
}

/// The values of both sides, grouped by state.
std::vector<Stratum> strata_of(LaunchValues const& a, LaunchValues const& b, SideStates const& states) {
    std::vector<Stratum> strata;
    for (std::size_t state = 0; state < states.found.states.size(); ++state)
        strata.push_back({.xs = numbers(in_state(a, states, 0, state)), .ys = numbers(in_state(b, states, 1, state))});
    return strata;
}

bool is_of_both(Stratum const& stratum) { return !stratum.xs.empty() && !stratum.ys.empty(); }

/// For each launch the geometric mean over points of value / `references` of the same point. \param all  leaves out
/// launches that lack a point
LaunchValues mean_values(std::span<LaunchValues const> points, std::span<double const> references, bool all) {
    std::map<LaunchNumber, std::vector<double>> shares;
    for (std::size_t i = 0; i < points.size(); ++i)
        for (auto const& [launch, value] : points[i])
            shares[launch].push_back(value / references[i]);
    LaunchValues means;
    for (auto const& [launch, some] : shares)
        if (!all || some.size() == points.size())
            means[launch] = log_mean(some);
    return means;
}

/// The 95 % interval of a median needs six values.
constexpr std::size_t enough_complete = 6;

/// Geometric mean of the medians of both sides, or the median of the only side with values.
double middle_of(LaunchValues const& a, LaunchValues const& b) {
    std::vector<double> medians;
    for (auto const* const side : {&a, &b})
        if (!side->empty())
            medians.push_back(median(numbers(*side)));
    return medians.empty() ? 1 : log_mean(medians);
}

/// Adds the launches in a state. \param all  leaves out launches that lack a point
void add_values(OperationValues& result, Operation const& operation, SideStates const& states, std::size_t state,
                bool all) {
    std::vector<double> middles;
    std::vector<LaunchValues> of_a;
    std::vector<LaunchValues> of_b;
    for (auto const& pair : operation.pairs) {
        of_a.push_back(in_state(pair.a->launches, states, 0, state));
        of_b.push_back(in_state(pair.b->launches, states, 1, state));
        middles.push_back(middle_of(of_a.back(), of_b.back()));
    }
    double const middle = log_mean(middles);
    for (auto const& [launch, value] : mean_values(of_a, middles, all))
        result.a.launches[launch] = value * middle;
    for (auto const& [launch, value] : mean_values(of_b, middles, all))
        result.b.launches[launch] = value * middle;
}

void add_noise(OperationValues& result, Operation const& operation) {
    std::vector<LaunchValues> all;
    std::vector<double> middles;
    for (auto const& pair : operation.pairs)
        if (pair.noise != nullptr && !pair.noise->launches.empty()) {
            all.push_back(pair.noise->launches);
            middles.push_back(median(numbers(pair.noise->launches)));
        }
    result.noise.launches = mean_values(all, middles, false);
}

OperationValues values_of(Operation const& operation, SideStates const& states) {
    OperationValues result{.a = {.point = operation.name}, .b = {.point = operation.name}};
    for (bool const all : {true, false}) {
        result.a.launches.clear();
        result.b.launches.clear();
        for (std::size_t state = 0; state < states.found.states.size(); ++state)
            add_values(result, operation, states, state, all);
        if (std::min(result.a.launches.size(), result.b.launches.size()) >= enough_complete)
            break;
    }
    for (auto const& pair : operation.pairs) {
        for (auto const* const of_pair : {pair.a, pair.b}) {
            result.a.in_slots |= of_pair->in_slots;
            result.a.after_barriers |= of_pair->after_barriers;
        }
        result.a.without_value += pair.a->without_value;
        result.b.without_value += pair.b->without_value;
        auto const points = static_cast<double>(operation.pairs.size());
        // All sizes may be off by a fraction of a clock step in the same direction, so errors add linearly.
        result.a.clock_error += pair.a->clock_error / points;
        result.b.clock_error += pair.b->clock_error / points;
    }
    add_noise(result, operation);
    return result;
}

/// Interval of the ratio of two single launches, from their own intervals.
std::optional<Interval> interval_of_singles(Observed const& a, Observed const& b) {
    if (a.single == nullptr || b.single == nullptr)
        return std::nullopt;
    auto const of_a = positive_interval(*a.single);
    auto const of_b = positive_interval(*b.single);
    if (!of_a || !of_b)
        return std::nullopt;
    return Interval{of_b->first / of_a->second, of_b->second / of_a->first};
}

/// Noise floor as a share: how much two launches of the same setup in the same state may differ.
std::optional<double> floor_of(std::span<Stratum const> strata, Observed const* noise, CompareRules const& rules) {
    std::optional<double> floor;
    auto const add = [&](std::vector<double> const& launches) {
        if (auto const found = noise_floor(launches, 1 - rules.alpha))
            floor = std::max(floor.value_or(0), *found - 1);
    };
    if (rules.own_noise)
        for (auto const& stratum : strata) {
            add(stratum.xs);
            add(stratum.ys);
        }
    if (noise != nullptr)
        add(numbers(noise->launches));
    return floor;
}

/// Inputs of a decision about a point, besides its values.
struct Circumstances {
    CompareRules const& rules;
    SideStates const& states;
    bool wants_noise;
};

/// Launches of both sides in the most frequent state that they share. If they share none, each side shows its most
/// frequent state, or all of its launches if these have no state.
Stratum shown_stratum(std::span<Stratum const> strata, LaunchValues const& a, LaunchValues const& b) {
    auto const shared = std::find_if(strata.begin(), strata.end(), is_of_both);
    if (shared != strata.end())
        return *shared;
    auto const of_a = std::find_if(strata.begin(), strata.end(), [](auto const& one) { return !one.xs.empty(); });
    auto const of_b = std::find_if(strata.begin(), strata.end(), [](auto const& one) { return !one.ys.empty(); });
    return {.xs = of_a == strata.end() ? numbers(a) : of_a->xs, .ys = of_b == strata.end() ? numbers(b) : of_b->ys};
}

/// Tests one point. Adjustments over several points follow later.
ComparedPoint compared(Observed const& a, Observed const& b, Observed const* noise, Circumstances const& around) {
    auto const& rules = around.rules;
    bool const has_states = around.states.found.are_several();
    auto const strata = strata_of(a.launches, b.launches, around.states);
    auto const shown = shown_stratum(strata, a.launches, b.launches);
    ComparedPoint result{.point = a.point, .a = median(shown.xs), .b = median(shown.ys)};
    result.ratio = result.b / result.a;
    for (auto const& stratum : strata)
        if (!has_states || is_of_both(stratum)) {
            result.n_a += stratum.xs.size();
            result.n_b += stratum.ys.size();
        }
    if (has_states && std::min(result.n_a, result.n_b) < 2) {
        result.leave_undecided(Verdict::machine,
                               "in the states that both sides share, a side has fewer than two launches");
    } else if (std::min(result.n_a, result.n_b) < 2) {
        result.leave_undecided(Verdict::one_launch, "one side has a single launch");
        if (rules.single)
            result.interval = interval_of_singles(a, b);
    } else {
        result.p = mann_whitney_u(strata).p;
        if (has_states)
            result.ratio = typical_ratio(strata).value_or(result.ratio);
        result.floor = floor_of(strata, noise, rules);
        if (around.wants_noise && !result.floor)
            result.remarks.emplace_back("no noise floor is known");
    }
    if ((a.in_slots || b.in_slots) && (a.after_barriers || b.after_barriers))
        result.leave_undecided(Verdict::unclear, "some launches lost all slots and were measured after barriers");
    if (auto const missing = a.without_value + b.without_value; missing > 0)
        result.remarks.push_back(fmt::format("{} without a value", detail::counted(missing, "launch", "launches")));
    for (auto const& [side, values] : {std::pair{"A", &Stratum::xs}, std::pair{"B", &Stratum::ys}})
        if (std::any_of(strata.begin(), strata.end(),
                        [of = values, clock_error = std::max(a.clock_error, b.clock_error)](auto const& stratum) {
                            return !(stratum.*of).empty() &&
                                   launches_disagree(stratum.*of, clock_error * median(stratum.*of));
                        }))
            result.remarks.push_back(fmt::format("launches of {} disagree", side));
    return result;
}

ComparedPoint compared(Operation const& operation, Circumstances const& around) {
    auto result = compared(operation.of_a(), operation.of_b(), operation.noise(), around);
    result.points = operation.pairs.size();
    return result;
}

/// Number of tests to adjust each p-value for, so that p times this number is below alpha exactly if Holm's method
/// rejects: of k tests of which r are not significant, the i-th smallest p is compared with alpha / max(k - i + 1, r).
std::vector<double> tests_of(std::span<double const> ps, double alpha) {
    auto const adjusted = holm(ps);
    auto const blank = static_cast<std::size_t>(
        std::count_if(adjusted.begin(), adjusted.end(), [&](double p) { return !(p < alpha); }));
    std::vector<std::size_t> order(ps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t k) { return ps[i] < ps[k]; });
    std::vector<double> tests(ps.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        tests[order[i]] = static_cast<double>(std::max(ps.size() - i, blank));
    return tests;
}

/// A point and the values that it was tested on.
struct Tested {
    ComparedPoint* point;
    Observed const* a;
    Observed const* b;
};

/// Extends the interval to contain the ratio, which may be outside, for example if launches form two groups.
std::optional<Interval> around_ratio(std::optional<Interval> interval, double ratio) {
    if (!interval)
        return interval;
    return Interval{std::min(interval->first, ratio), std::max(interval->second, ratio)};
}

/// Widens the interval by the resolution error of the clock. \param error  relative
std::optional<Interval> with_clock(std::optional<Interval> interval, double ratio, double error) {
    if (!interval)
        return interval;
    double const step = std::log1p(error);
    return Interval{ratio * std::exp(-std::hypot(std::log(ratio / interval->first), step)),
                    ratio * std::exp(std::hypot(std::log(interval->second / ratio), step))};
}

/// Whether the ratios of the states differ by more than their errors explain, at the 1 % level.
bool has_interaction(std::span<StateChange const> changes) {
    constexpr double level = 0.01;
    constexpr double to_errors = 2 * 1.96;
    std::vector<std::pair<double, double>> logs;  // logarithm of the ratio, and its weight
    for (auto const& change : changes)
        if (change.interval && change.interval->second > change.interval->first) {
            double const error = std::log(change.interval->second / change.interval->first) / to_errors;
            logs.emplace_back(std::log(change.ratio), 1 / (error * error));
        }
    if (logs.size() < 2)
        return false;
    double sum = 0;
    double weights = 0;
    for (auto const& [log, weight] : logs) {
        sum += log * weight;
        weights += weight;
    }
    double distance = 0;
    for (auto const& [log, weight] : logs)
        distance += weight * (log - sum / weights) * (log - sum / weights);
    boost::math::chi_squared const by_chance{static_cast<double>(logs.size() - 1)};
    return cdf(complement(by_chance, distance)) < level;
}

/// The ratio in each state if it depends on the state, otherwise empty.
std::vector<StateChange> changes_by_state(std::span<Stratum const> strata, MachineStates const& states, double alpha,
                                          double tests, double clock_error) {
    std::vector<StateChange> changes;
    if (!states.are_several())
        return changes;
    for (std::size_t state = 0; state < strata.size(); ++state) {
        std::span const one{&strata[state], 1};
        if (auto const ratio = typical_ratio(one))
            changes.push_back({.state = state,
                               .controls = state_text(states, state, true),
                               .a = median(strata[state].xs),
                               .b = median(strata[state].ys),
                               .n_a = strata[state].xs.size(),
                               .n_b = strata[state].ys.size(),
                               .ratio = *ratio,
                               .interval = with_clock(ratio_interval(one), *ratio, clock_error)});
    }
    if (!has_interaction(changes))
        return {};
    double const all = tests * static_cast<double>(changes.size());
    for (auto& change : changes) {
        std::span const one{&strata[change.state], 1};
        change.p = std::min(1.0, all * mann_whitney_u(one).p);
        change.interval =
            with_clock(around_ratio(ratio_interval(one, 1 - alpha / all), change.ratio), change.ratio, clock_error);
    }
    return changes;
}

/// Adjusts the p-values of a family of tests. Each test gets an interval at the level that its p-value is compared
/// with.
void adjust_family(std::vector<Tested> const& family, Circumstances const& around) {
    double const alpha = around.rules.alpha;
    std::vector<double> ps;
    std::vector<Tested> tested;
    for (auto const& one : family)
        if (one.point->p) {
            ps.push_back(*one.point->p);
            tested.push_back(one);
        }
    auto const adjusted = holm(ps);
    auto const tests = tests_of(ps, alpha);
    for (std::size_t i = 0; i < tested.size(); ++i) {
        auto& [point, a, b] = tested[i];
        point->adjusted_p = adjusted[i];
        auto const strata = strata_of(a->launches, b->launches, around.states);
        point->interval = with_clock(around_ratio(ratio_interval(strata, 1 - alpha / tests[i]), point->ratio),
                                     point->ratio, std::hypot(a->clock_error, b->clock_error));
        point->by_state =
            changes_by_state(strata, around.states.found, alpha, tests[i], std::hypot(a->clock_error, b->clock_error));
    }
}

/// A verdict, and the reason if it is undecided.
struct Judged {
    Verdict verdict = Verdict::unclear;
    std::string why{};
};

/// \param p  adjusted p-value
Judged judged(ComparedPoint const& point, double ratio, std::optional<Interval> const& interval,
              std::optional<double> p, CompareRules const& rules) {
    if (!interval)
        return {Verdict::unclear, "too few launches for an interval"};
    bool const is_significant = p && *p < rules.alpha && excludes_one(*interval);
    if (is_significant && is_beyond(ratio, rules.threshold)) {
        if (point.floor && !is_beyond(ratio, *point.floor))
            return {Verdict::unclear, fmt::format("within the noise floor of {} %", in_percent(*point.floor))};
        return {direction(point.point.quantity, ratio), {}};
    }
    if (lies_within(*interval, rules.threshold))
        return {Verdict::same, {}};
    auto const limit = in_percent(rules.threshold);
    if (is_significant)
        return {Verdict::unclear, fmt::format("the interval extends beyond the threshold of {} %", limit)};
    if (excludes_one(*interval))
        return {Verdict::unclear, "the test finds no difference"};
    return {Verdict::unclear, fmt::format("the interval contains 0 and extends beyond {} %", limit)};
}

void judge(ComparedPoint& point, CompareRules const& rules) {
    if (!point.why.empty())
        return;
    auto [verdict, why] = judged(point, point.ratio, point.interval, point.adjusted_p, rules);
    point.verdict = verdict;
    point.why = std::move(why);
    for (auto& change : point.by_state)
        change.verdict = judged(point, change.ratio, change.interval, change.p, rules).verdict;
    if (is_difference(point.verdict))
        return;
    // A change in a single state is enough.
    for (auto const& change : point.by_state)
        if (is_difference(change.verdict)) {
            point.verdict = change.verdict;
            point.why.clear();
            point.a = change.a;
            point.b = change.b;
            point.n_a = change.n_a;
            point.n_b = change.n_b;
            point.ratio = change.ratio;
            point.interval = change.interval;
            point.adjusted_p = change.p;
            point.only_with = change.controls;
            point.remarks.push_back("with " + change.controls);
            return;
        }
}

/// Points of an undecided operation are not tested. They can still be `same` if their interval is narrow enough.
void judge_points(std::span<ComparedPoint> points, ComparedPoint const& operation, CompareRules const& rules) {
    bool const is_decided = operation.adjusted_p && *operation.adjusted_p < rules.alpha;
    for (auto& point : points) {
        if (point.adjusted_p)
            point.adjusted_p = std::max(*point.adjusted_p, operation.adjusted_p.value_or(1));
        for (auto& change : point.by_state)
            change.p = std::max(change.p.value_or(1), operation.adjusted_p.value_or(1));
        if (!is_decided) {
            point.p.reset();
            point.adjusted_p.reset();
            point.by_state.clear();
        }
        judge(point, rules);
    }
}

std::vector<ComparedPoint> compared_points(Operation const& operation, ComparedPoint const& verdict,
                                           Circumstances const& around) {
    if (operation.is_point())
        return {verdict};
    std::vector<ComparedPoint> points;
    for (auto const& pair : operation.pairs)
        points.push_back(compared(*pair.a, *pair.b, pair.noise, around));
    std::vector<Tested> sizes;
    for (std::size_t i = 0; i < points.size(); ++i)
        sizes.push_back({&points[i], operation.pairs[i].a, operation.pairs[i].b});
    adjust_family(sizes, around);
    judge_points(points, verdict, around.rules);
    return points;
}

std::vector<GroupMean> group_means(Comparison const& comparison, CompareRules const& rules) {
    using Group = std::pair<std::string, Quantity>;
    std::vector<Group> order;
    std::map<Group, std::vector<double>> ratios;
    for (auto const& point : comparison.points) {
        if ((point.verdict == Verdict::one_launch && !rules.single) || point.verdict == Verdict::machine)
            continue;
        Group const group{point.point.group, point.point.quantity};
        detail::add_once(order, group);
        ratios[group].push_back(point.ratio);
    }
    std::vector<GroupMean> means;
    for (auto const& group : order) {
        auto const missing =
            std::count_if(comparison.missing.begin(), comparison.missing.end(), [&](MissingPoint const& m) {
                return Group{m.point.group, m.point.quantity} == group;
            });
        means.push_back({.group = group.first,
                         .quantity = group.second,
                         .ratio = log_mean(ratios[group]),
                         .points = ratios[group].size(),
                         .missing = static_cast<std::size_t>(missing)});
    }
    return means;
}

MissingPoint missing_point(Observed const& here, Observed const* there, bool in_a) {
    bool const was_tried = there != nullptr;
    return {.point = here.point,
            .in_a = in_a,
            .tried = was_tried,
            .reason = was_tried ? there->reason : std::string{"not measured"}};
}

}  // namespace

std::vector<std::string> undecided_texts(std::span<ComparedPoint const> operations) {
    std::vector<std::string> reasons;
    std::map<std::string, std::vector<std::string>> names;
    for (auto const& operation : operations) {
        if (is_decided(operation.verdict) || operation.verdict == Verdict::one_launch)
            continue;
        detail::add_once(reasons, operation.why);
        detail::add_once(names[operation.why], operation.point.benchmark);
    }
    std::vector<std::string> texts;
    // The table marks the operations, so a long list of names for a single reason adds no information.
    constexpr std::size_t most_names = 3;
    for (auto const& reason : reasons) {
        auto const& all = names[reason];
        auto const subject = reasons.size() == 1 && all.size() > most_names
                                 ? detail::counted(all.size(), "operation", "operations")
                                 : fmt::format("{}", fmt::join(all, ", "));
        texts.push_back(fmt::format("{}: {}", subject, reason));
    }
    return texts;
}

std::string nothing_text(Comparison const& comparison) {
    bool const is_apart =
        !comparison.missing.empty() && std::none_of(comparison.missing.begin(), comparison.missing.end(),
                                                    [](MissingPoint const& m) { return m.tried; });
    if (is_apart)
        return "the sides have no point in common";
    std::string text = "no point has a value above 0 on both sides";
    auto const tried = std::find_if(comparison.missing.begin(), comparison.missing.end(),
                                    [](MissingPoint const& m) { return m.tried; });
    if (tried != comparison.missing.end())
        text += fmt::format("; {} {} of {}: {}", tried->point.benchmark, tried->point.at.text(),
                            tried->in_a ? "B" : "A", tried->reason);
    return text;
}

namespace {

/// Operations on both sides, and points that are missing on one side.
struct Paired {
    std::vector<Operation> operations{};
    std::vector<Operation> controls{};
    std::vector<MissingPoint> missing{};
    std::vector<PointName> without_value{};
};

/// Whether a side has only controls.
bool are_all_controls(std::vector<Observed> const& side) {
    return std::all_of(side.begin(), side.end(), [](Observed const& observed) { return observed.is_control; });
}

Paired paired(std::vector<Observed> const& of_a, std::vector<Observed> const& of_b,
              std::vector<Observed> const& of_noise, SideStates const& states, bool with_controls) {
    auto const index_a = index_of(of_a);
    auto const index_b = index_of(of_b);
    auto const index_of_noise = index_of(of_noise);
    auto const is_control = [&](Observed const& observed) { return with_controls && observed.is_control; };
    Paired result;
    auto const find_partner = [&](Observed const& here, Index const& others, bool in_a) {
        auto const* const there = partner(here, others);
        bool const is_missing = there == nullptr || there->launches.empty();
        if (is_missing && !here.launches.empty() && !is_control(here))
            result.missing.push_back(missing_point(here, there, in_a));
        return is_missing || here.launches.empty() ? nullptr : there;
    };
    std::map<PointKey, std::size_t> places;
    for (auto const& here : of_a) {
        auto const* const there = find_partner(here, index_b, true);
        if (there == nullptr)
            continue;
        auto name = operation_name(here.point);
        auto& all = is_control(here) ? result.controls : result.operations;
        auto const [place, is_new] = places.try_emplace(point_key(name, 0), all.size());
        if (is_new)
            all.push_back({.name = std::move(name)});
        all[place->second].pairs.push_back({&here, there, partner(here, index_of_noise)});
    }
    for (auto const& here : of_b) {
        static_cast<void>(find_partner(here, index_a, false));
        auto const* const there = partner(here, index_a);
        bool const has_value = !here.launches.empty() || (there != nullptr && !there->launches.empty());
        if (!has_value && !is_control(here))
            result.without_value.push_back(here.point);
    }
    for (auto* const all : {&result.operations, &result.controls})
        for (auto& operation : *all)
            operation.values = values_of(operation, states);
    return result;
}

}  // namespace

std::string_view name(Verdict verdict) noexcept { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::string in_percent(double share) {
    return share < 9.995 ? fmt::format("{:.3g}", share * 100) : fmt::format("{:.0f}", share * 100);
}

Comparison compare_sides(std::span<Launch const> a, std::span<Launch const> b, CompareRules const& rules,
                         std::span<Launch const> noise) {
    auto const noise_in_state = in_main_state(noise, true);
    auto const of_a = observed(a, rules.by);
    auto const of_b = observed(b, rules.by);
    auto const of_noise = observed(noise_in_state, rules.by);
    // If a side has only controls, they are compared as operations.
    bool const with_controls = !are_all_controls(of_a) && !are_all_controls(of_b);
    auto const states = states_of(std::array{a, b}, with_controls);
    auto const [operations, controls, missing, without_value] = paired(of_a, of_b, of_noise, states, with_controls);
    Circumstances const around{rules, states, !noise.empty() || rules.own_noise};

    Comparison result{.missing = missing, .without_value = without_value, .states = states};
    for (auto const& control : controls)
        result.controls.push_back(compared(control, around));
    std::vector<Tested> family;
    for (auto const& operation : operations)
        result.operations.push_back(compared(operation, around));
    for (std::size_t i = 0; i < operations.size(); ++i)
        family.push_back({&result.operations[i], &operations[i].of_a(), &operations[i].of_b()});
    adjust_family(family, around);
    for (auto& operation : result.operations)
        judge(operation, rules);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        auto points = compared_points(operations[i], result.operations[i], around);
        std::move(points.begin(), points.end(), std::back_inserter(result.points));
    }
    result.means = group_means(result, rules);
    return result;
}

bool have_shared_state(SideStates const& states) {
    if (!states.found.are_several())
        return true;
    for (std::size_t state = 0; state < states.found.states.size(); ++state)
        if (states.count(0, state) > 0 && states.count(1, state) > 0)
            return true;
    return false;
}

double factor(ComparedPoint const& point) noexcept { return std::max(point.ratio, 1 / point.ratio); }

std::size_t launches_needed(std::size_t operations, double alpha) {
    std::size_t launches = 2;
    while (static_cast<double>(operations) * smallest_p(launches, launches) >= alpha)
        ++launches;
    return launches;
}

}  // namespace measure
