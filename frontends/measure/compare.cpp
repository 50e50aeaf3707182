// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include "adjust.hpp"
#include "compare_points.hpp"
#include "plain_text.hpp"

#include <measure/launches.hpp>
#include <measure/two_samples.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace measure_tool {

namespace {

using measure::Interval;
using measure::Quantity;
using measure::Record;

/// Values of each side from which on the bootstrap interval covers what it says. The median is outside of n values with
/// 2^(1 - n), and so no interval of them can do better where the other side is certain: from 5 on about 95 %, from 8 on
/// 99 %. Simulated: 95 .. 97 % of 5 to 30 values of each side, 93 .. 95 % where the other has 100; of 4 values 93 %.
std::size_t enough_for_interval(double alpha) {
    std::size_t n = 2;
    while (std::exp2(1 - static_cast<double>(n)) > 1.25 * alpha)
        ++n;
    return n;
}

constexpr std::array<std::string_view, 6> verdict_names{"faster", "slower", "higher", "lower", "same", "unclear"};
constexpr std::array<std::string_view, 3> basis_names{"launches", "samples", "intervals"};

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

/// The interval of the value; that of the median first, because it assumes no distribution.
std::optional<Interval> own_interval(Record const& record) {
    auto const e = measure::estimate_of_value(record);
    if (!e)
        return std::nullopt;
    auto const interval = e->median_interval ? e->median_interval : e->interval;
    bool const is_good = interval && interval->first > 0 && interval->second >= interval->first &&
                         std::isfinite(interval->first) && std::isfinite(interval->second);
    return is_good ? interval : std::nullopt;
}

/// The standard error of a value's logarithm that a normal distribution has with that interval.
double log_error(Interval const& interval, double confidence) {
    constexpr double many = 1e6;  // degrees of freedom
    double const width = std::log(interval.second / interval.first) / 2;
    return confidence > 0 && confidence < 1 ? width / measure::student_quantile(confidence, many) : 0;
}

/// Samples that depend on those before them count as fewer: every k-th is left.
std::vector<double> independent(std::vector<double> const& samples) {
    double const effective = measure::effective_samples(samples.size(), measure::autocorrelation(samples));
    auto const step = static_cast<std::size_t>(std::ceil(static_cast<double>(samples.size()) / effective));
    std::vector<double> some;
    for (std::size_t i = 0; i < samples.size(); i += step)
        some.push_back(samples[i]);
    return some;
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

/// Compares one point after the other; what all of them decide together comes after.
class Comparer {
public:
    Comparer(CompareRules const& rules, Index const& noise) : rules_{rules}, noise_{noise} {}

    [[nodiscard]] ComparedPoint operator()(Observed const& a, Observed const& b) const {
        ComparedPoint result{.point = a.point,
                             .n_a = a.launches.size(),
                             .n_b = b.launches.size(),
                             .a = measure::median(a.launches),
                             .b = measure::median(b.launches)};
        result.ratio = result.b / result.a;
        if (a.single == nullptr || b.single == nullptr)
            by_values(result, a.launches, b.launches);
        else
            by_single_launches(result, *a.single, *b.single);
        result.threshold = std::max(rules_.threshold, floor(result, a, b));
        if (auto const missing = a.without_value + b.without_value; missing > 0)
            result.remarks.push_back(fmt::format("{} without a value", counted(missing, "launch", "launches")));
        return result;
    }

private:
    void by_values(ComparedPoint& result, std::vector<double> const& a, std::vector<double> const& b) const {
        result.p = measure::mann_whitney_u(a, b).p;
        if (std::min(a.size(), b.size()) >= enough_for_interval(rules_.alpha))
            result.interval =
                measure::ratio_of_medians_interval(a, b, {.confidence = 1 - rules_.alpha, .seed = rules_.seed});
    }

    void by_single_launches(ComparedPoint& result, Record const& a, Record const& b) const {
        auto const of_a = samples_of(a);
        auto const of_b = samples_of(b);
        if (of_a.empty() || of_b.empty()) {
            by_intervals(result, a, b);
            return;
        }
        auto const some_a = independent(of_a);
        auto const some_b = independent(of_b);
        result.basis = Basis::samples;
        result.n_a = some_a.size();
        result.n_b = some_b.size();
        by_values(result, some_a, some_b);
        if (some_a.size() < of_a.size() || some_b.size() < of_b.size())
            result.remarks.push_back(fmt::format("autocorrelated: {}+{} samples count as {}+{}", of_a.size(),
                                                 of_b.size(), some_a.size(), some_b.size()));
    }

    /// The intervals say how far off either value may be, as if that were normal.
    static void by_intervals(ComparedPoint& result, Record const& a, Record const& b) {
        result.basis = Basis::intervals;
        auto const of_a = own_interval(a);
        auto const of_b = own_interval(b);
        if (!of_a || !of_b) {
            result.remarks.emplace_back("a single value without an interval");
            return;
        }
        result.interval = Interval{of_b->first / of_a->second, of_b->second / of_a->first};
        double const error =
            std::hypot(log_error(*of_a, a.estimate->confidence), log_error(*of_b, b.estimate->confidence));
        if (error > 0 && std::isfinite(error))
            result.p = std::erfc(std::abs(std::log(result.ratio)) / (error * std::sqrt(2.0)));
        else
            result.remarks.emplace_back("intervals without a width");
    }

    /// What two launches of one thing differ by, less 1.
    [[nodiscard]] double floor(ComparedPoint& result, Observed const& a, Observed const& b) const {
        double const confidence = 1 - rules_.alpha;
        double largest = 1;
        if (rules_.own_noise)
            for (Observed const* const side : {&a, &b})
                largest = std::max(largest, measure::noise_floor(side->launches, confidence).value_or(1));
        if (!noise_.empty()) {
            auto const* const same = partner(a, noise_);
            if (auto const noise = same != nullptr ? measure::noise_floor(same->launches, confidence) : std::nullopt)
                largest = std::max(largest, *noise);
            else
                result.remarks.emplace_back("no noise floor is known");
        }
        return largest - 1;
    }

    CompareRules const& rules_;
    Index const& noise_;
};

Verdict judged(ComparedPoint const& point, double alpha) {
    bool const differs =
        point.adjusted_p && *point.adjusted_p < alpha && (!point.interval || excludes_one(*point.interval));
    if (differs && is_beyond(point.ratio, point.threshold))
        return direction(point.point.quantity, point.ratio);
    bool const is_evidence = point.basis != Basis::intervals && point.interval.has_value();
    return is_evidence && lies_within(*point.interval, point.threshold) ? Verdict::same : Verdict::unclear;
}

std::vector<GroupMean> group_means(Comparison const& comparison) {
    using Group = std::pair<std::string, Quantity>;
    std::vector<Group> order;
    std::map<Group, std::vector<double>> ratios;
    for (auto const& point : comparison.points) {
        Group const group{point.point.group, point.point.quantity};
        if (std::find(order.begin(), order.end(), group) == order.end())
            order.push_back(group);
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
                         .ratio = measure::log_mean(ratios[group]),
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

std::string_view name(Verdict verdict) noexcept { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::string_view name(Basis basis) noexcept { return basis_names[static_cast<std::size_t>(basis)]; }

std::string in_percent(double share) {
    return share < 9.995 ? fmt::format("{:.3g}", share * 100) : fmt::format("{:.0f}", share * 100);
}

Comparison compare_sides(std::span<Launch const> a, std::span<Launch const> b, CompareRules const& rules,
                         std::span<Launch const> noise) {
    auto const of_a = observed(a, rules.by);
    auto const of_b = observed(b, rules.by);
    auto const of_noise = observed(noise, rules.by);
    auto const index_a = index_of(of_a);
    auto const index_b = index_of(of_b);
    auto const index_of_noise = index_of(of_noise);
    Comparer const comparer{rules, index_of_noise};
    Comparison result;
    for (auto const& here : of_a) {
        auto const* const there = partner(here, index_b);
        if (here.launches.empty())
            continue;
        if (there != nullptr && !there->launches.empty())
            result.points.push_back(comparer(here, *there));
        else
            result.missing.push_back(missing_point(here, there, true));
    }
    for (auto const& here : of_b)
        if (auto const* const there = partner(here, index_a);
            !here.launches.empty() && (there == nullptr || there->launches.empty()))
            result.missing.push_back(missing_point(here, there, false));
    adjust(result.points);
    for (auto& point : result.points)
        point.verdict = judged(point, rules.alpha);
    result.means = group_means(result);
    return result;
}

double factor(ComparedPoint const& point) noexcept { return std::max(point.ratio, 1 / point.ratio); }

std::size_t launches_needed(std::size_t points, double alpha) {
    std::size_t launches = 1;
    while (static_cast<double>(points) * measure::smallest_p(launches, launches) >= alpha)
        ++launches;
    return launches;
}

}  // namespace measure_tool
