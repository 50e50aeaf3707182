// SPDX-License-Identifier: BSD-3-Clause
#include "measure/launches.hpp"

#include "core/require.hpp"
#include "measure/two_samples.hpp"
#include "record/join_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace measure {

namespace {

/// The records of one point, indexed by launch; null if the launch has no record.
using OfPoint = std::vector<Record const*>;

/// Identifies a point: benchmark, quantity, coordinates, and an index among equal points of a launch.
using PointKey = std::tuple<std::string, Quantity, std::vector<std::pair<std::string, Point::Coordinate>>, int>;

std::vector<OfPoint> by_point(std::span<std::vector<Record> const> launches) {
    std::map<PointKey, std::size_t> index;
    std::vector<OfPoint> points;
    for (std::size_t launch = 0; launch < launches.size(); ++launch)
        for (Record const& record : launches[launch]) {
            PointKey key{record.benchmark, record.quantity, record.at.coordinates(), 0};
            auto found = index.find(key);
            while (found != index.end() && points[found->second][launch] != nullptr) {
                ++std::get<int>(key);
                found = index.find(key);
            }
            if (found == index.end()) {
                found = index.emplace(std::move(key), points.size()).first;
                points.emplace_back(launches.size(), nullptr);
            }
            points[found->second][launch] = &record;
        }
    return points;
}

/// The result of a launch for a point; rates are converted to times. Empty without a value.
std::optional<Estimate> time_of_launch(Record const* record) {
    if (record == nullptr || !record->value)
        return std::nullopt;
    double const value = *record->value;
    Estimate const single{.value = value, .median = value, .min = value, .max = value};
    Estimate e = estimate_of_launch(*record).value_or(single);
    if (is_rate(record->quantity)) {
        if (!(e.value > 0 && e.median > 0 && e.min > 0))
            return std::nullopt;
        bool const has_error = e.standard_error.has_value();
        double const relative = e.standard_error.value_or(0) / e.value;
        double const step = e.clock_step / e.value;
        e = Estimate{.value = 1 / e.value, .median = 1 / e.median, .min = 1 / e.max, .max = 1 / e.min};
        e.clock_step = e.value * step;
        if (has_error)
            e.standard_error = e.value * relative;
    }
    // join_epochs computes the standard error of the mean from this field.
    e.standard_error_winsorized = e.standard_error;
    e.samples = static_cast<std::size_t>(record->valid);
    e.kept = static_cast<std::size_t>(record->kept);
    e.kept_min = e.min;
    e.kept_max = e.max;
    return e;
}

std::vector<double> medians_of(std::span<Estimate const> launches) {
    std::vector<double> medians;
    for (auto const& e : launches)
        medians.push_back(e.median);
    return medians;
}

/// Estimate over launches. A single launch gets no errors, because errors within a launch are not errors of the point.
Estimate joined_estimate(std::span<Estimate const> launches, double confidence) {
    Estimate joined = join_epochs(launches, {}, confidence);
    joined.quantiles.clear();
    joined.relative_standard_error.reset();
    joined.median_interval = batched_median_interval(medians_of(launches), confidence);
    if (joined.median_interval)
        joined.median_interval = with_clock_step(*joined.median_interval, joined.median, joined.clock_step);
    if (launches.size() > 1)
        return joined;
    joined.confidence = confidence;
    joined.standard_error.reset();
    joined.interval.reset();
    joined.median_interval.reset();
    return joined;
}

/// One entry per launch: `number` of its record, or null if it has no value.
Value by_launch(OfPoint const& point, std::span<std::optional<Estimate> const> times,
                std::optional<double> (*number)(Record const&)) {
    Value::Array array;
    for (std::size_t i = 0; i < point.size(); ++i)
        array.push_back(times[i] ? Value{number(*point[i])} : Value{});
    return array;
}

constexpr char const* median_error = "median_error";
constexpr char const* own_interval_name = "own_interval";
constexpr char const* runs_name = "runs";
/// Confidence of an interval of +- one standard error.
constexpr double one_error = 0.68;

/// Interval of the median from order statistics; the whole range if there are too few values.
Interval interval_or_range(std::span<double const> xs, double confidence) {
    auto const [least, most] = std::minmax_element(xs.begin(), xs.end());
    return median_interval(xs, confidence).value_or(Interval{*least, *most});
}

/// Half of the 68 % interval of the median, at least the error of the clock. Inverted if the record is a rate.
/// \param joined  in the unit of the record
std::optional<double> error_of_median(std::span<Estimate const> launches, Estimate const& joined, Quantity quantity) {
    auto const interval = batched_median_interval(medians_of(launches), one_error);
    if (!interval)
        return std::nullopt;
    auto const [low, high] = *interval;
    return std::max((is_rate(quantity) ? 1 / low - 1 / high : high - low) / 2, least_error(joined.clock_step));
}

bool disagree(std::span<Estimate const> launches) {
    auto const medians = medians_of(launches);
    double step = 0;
    for (auto const& e : launches)
        step = std::max(step, e.clock_step);
    return std::all_of(medians.begin(), medians.end(), [](double x) { return x > 0; }) &&
           launches_disagree(medians, step);
}

Value medians_by_launch(OfPoint const& point, std::span<std::optional<Estimate> const> times) {
    return by_launch(point, times, [](Record const& r) {
        auto const own = estimate_of_launch(r);
        return own ? std::optional{own->median} : r.value;
    });
}

/// Standard deviation of the samples within a launch, estimated from their middle half: the median over launches with a
/// value. In the unit of the record.
std::optional<double> scatter_of_launches(OfPoint const& point, std::span<std::optional<Estimate> const> times) {
    std::vector<double> scatters;
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (!times[i] || !point[i]->estimate)
            continue;
        if (auto const deviation = quartile_deviation(point[i]->estimate->quantiles))
            scatters.push_back(*deviation);
    }
    return scatters.empty() ? std::nullopt : std::optional{median(scatters)};
}

void describe_launches(Record& joined, OfPoint const& point, std::span<std::optional<Estimate> const> times) {
    joined.derived["launches"] = by_launch(point, times, [](Record const& r) {
        auto const own = estimate_of_value(r);
        return own ? std::optional{own->value} : r.value;
    });
    joined.derived["launch_medians"] = medians_by_launch(point, times);
    joined.derived["launch_standard_errors"] = by_launch(point, times, [](Record const& r) {
        auto const own = estimate_of_value(r);
        return own ? own->standard_error : std::nullopt;
    });
    if (auto const scatter = scatter_of_launches(point, times))
        joined.derived["launch_scatter"] = *scatter;
    if (!joined.estimate || !joined.estimate->standard_error)
        return;
    Estimate const& e = *joined.estimate;
    if (e.value != 0)
        joined.derived["rse"] = *e.standard_error / std::abs(e.value);
    if (!e.standard_error_winsorized)
        return;
    joined.derived["standard_error_within"] = *e.standard_error_winsorized;
    if (*e.standard_error_winsorized > 0)
        joined.derived["spread_ratio"] = *e.standard_error / *e.standard_error_winsorized;
}

/// Takes the worst status and its message over the launches with a value, or over all launches if none has a value.
/// \param point, times  the launches that count
void judge(Record& joined, OfPoint const& point, std::span<std::optional<Estimate> const> times, bool has_value) {
    Record const* worst = nullptr;
    for (std::size_t i = 0; i < point.size(); ++i)
        if (point[i] != nullptr && (times[i] || !has_value) && (worst == nullptr || point[i]->status > worst->status))
            worst = point[i];
    joined.status = worst->status;
    joined.message = worst->message;
    auto const missing = std::count(times.begin(), times.end(), std::nullopt);
    if (!has_value || missing == 0)
        return;
    joined.flag("missing_launches");
    joined.message = fmt::format("no value from {} of {} launches", missing, times.size());
}

/// The joined record, with the counts of all launches.
Record counted_together(OfPoint const& point) {
    Record joined;
    bool is_first = true;
    for (Record const* const record : point) {
        if (record == nullptr)
            continue;
        if (std::exchange(is_first, false)) {
            joined = *record;
            detail::drop_details(joined);
        } else {
            detail::add_counts(joined, *record);
        }
    }
    joined.value.reset();
    return joined;
}

std::vector<Estimate> valued(std::span<std::optional<Estimate> const> times) {
    std::vector<Estimate> some;
    for (auto const& time : times)
        if (time)
            some.push_back(*time);
    return some;
}

/// Sets value and errors from the launches that have a value.
void join_values(Record& joined, std::span<Estimate const> launches, double confidence) {
    auto const quantity = joined.quantity;
    joined.quantity = Quantity::time;
    joined.estimate = joined_estimate(launches, confidence);
    if (is_rate(quantity))
        joined = as_rate(std::move(joined), quantity, 1);
    joined.quantity = quantity;
    joined.value = joined.estimate->median;
    if (auto const error = error_of_median(launches, *joined.estimate, quantity))
        joined.derived[median_error] = *error;
}

/// A subset of the launches of a point.
struct SomeLaunches {
    OfPoint point{};
    std::vector<std::optional<Estimate>> times{};
};

SomeLaunches launches_in(std::size_t state, MachineStates const& states, SomeLaunches const& all) {
    SomeLaunches part;
    for (std::size_t i = 0; i < all.point.size(); ++i)
        if (states.of_launch[i] == state) {
            part.point.push_back(all.point[i]);
            part.times.push_back(all.times[i]);
        }
    return part;
}

void describe_states(Record& joined, SomeLaunches const& all, MachineStates const& states, double confidence) {
    joined.derived["medians_in_all_states"] = medians_by_launch(all.point, all.times);
    Value::Array others;
    for (std::size_t state = 1; state < states.states.size(); ++state) {
        auto const some = valued(launches_in(state, states, all).times);
        if (some.empty())
            continue;
        Record other;
        other.quantity = joined.quantity;
        join_values(other, some, confidence);
        auto const& interval = other.estimate->median_interval;
        others.push_back(
            Value::Object{{"state", static_cast<std::int64_t>(state + 1)},
                          {"value", *other.value},
                          {"interval", interval ? Value{Value::Array{interval->first, interval->second}} : Value{}},
                          {"launches", static_cast<std::int64_t>(some.size())}});
    }
    joined.derived["other_states"] = std::move(others);
}

/// The joined record of a point, from the launches in the most frequent state.
Record merged(OfPoint const& point, MachineStates const& states, double confidence) {
    SomeLaunches all{.point = point};
    for (Record const* const record : point)
        all.times.push_back(time_of_launch(record));
    // A point that was not measured in the most frequent state is kept without a value.
    auto main = launches_in(0, states, all);
    bool const is_in_main =
        std::any_of(main.point.begin(), main.point.end(), [](auto const* record) { return record != nullptr; });
    Record joined = counted_together(is_in_main ? main.point : point);
    auto const some = valued(main.times);
    if (is_in_main) {
        judge(joined, main.point, main.times, !some.empty());
    } else {
        joined.status = PointStatus::skipped;
        joined.message = "not measured in the most frequent state of the machine";
        joined.estimate.reset();
        joined.attempts = 0;
        joined.invalid = {};
    }
    auto times_in_main = all.times;
    for (std::size_t i = 0; i < times_in_main.size(); ++i)
        if (states.of_launch[i] != std::size_t{0})
            times_in_main[i].reset();
    if (some.empty())
        joined.valid = joined.kept = 0;
    else
        join_values(joined, some, confidence);
    bool const has_others = states.are_several() && !valued(all.times).empty();
    if (!some.empty() || has_others)
        describe_launches(joined, point, times_in_main);
    if (has_others)
        describe_states(joined, all, states, confidence);
    if (some.empty())
        return joined;
    if (disagree(some))
        joined.flag("launches_disagree");
    return joined;
}

}  // namespace

bool is_merged(Record const& record) noexcept {
    auto const* const list = record.derived.find("launch_medians");
    return list != nullptr && std::holds_alternative<Value::Array>(list->data());
}

std::size_t launches_with_value(Record const& record) noexcept {
    auto const* const list = record.derived.get<Value::Array>("launch_medians");
    return list == nullptr ? 0 : static_cast<std::size_t>(std::count_if(list->begin(), list->end(), [](Value const& v) {
        return !v.is_null();
    }));
}

std::optional<double> moved_by(Record const& record) noexcept {
    if (!record.value || !record.estimate)
        return std::nullopt;
    double const mean = record.estimate->value;
    if (is_merged(record) || *record.value == mean)
        return 0;
    if (record.quantity != Quantity::time || !record.correction)
        return std::nullopt;
    double const rounding = 1e-9 * (std::abs(mean) + std::abs(*record.correction));
    bool const explains = std::abs(mean - *record.correction - *record.value) <= rounding;
    return explains ? std::optional{-*record.correction} : std::nullopt;
}

std::optional<Estimate> estimate_of_value(Record const& record) {
    auto const by = moved_by(record);
    if (!by)
        return std::nullopt;
    Estimate e = *record.estimate;
    if (!std::isfinite(e.value + e.median + e.min + e.max))
        return std::nullopt;
    if (is_merged(record)) {
        auto const* const number = record.derived.get<double>(median_error);
        e.value = e.median;
        e.standard_error = number != nullptr ? std::optional{*number} : std::nullopt;
        e.interval = e.median_interval;
    }
    if (*by == 0)
        return e;
    for (double* const x : {&e.value, &e.median, &e.min, &e.max, &e.kept_min, &e.kept_max})
        *x += *by;
    if (e.middle)
        *e.middle += *by;
    for (auto* const interval : {&e.interval, &e.median_interval})
        if (*interval)
            *interval = Interval{(*interval)->first + *by, (*interval)->second + *by};
    for (auto& [share, x] : e.quantiles)
        x += *by;
    // The correction comes from the same clock, so its error is added.
    if (e.standard_error)
        *e.standard_error = std::hypot(*e.standard_error, least_error(e.clock_step));
    return with_clock_step(std::move(e), e.clock_step);
}

std::optional<Estimate> estimate_to_show(Record const& record) {
    constexpr double rounding = 1e-6;
    auto e = estimate_of_value(record);
    if (!e || e->clock_step > 0 || !(record.quantity == Quantity::time || is_rate(record.quantity)))
        return e;
    double const least = rounding * std::abs(e->value);
    if (e->standard_error && *e->standard_error <= least)
        e->standard_error.reset();
    for (auto* const interval : {&e->interval, &e->median_interval})
        if (*interval && (*interval)->second - (*interval)->first <= least)
            interval->reset();
    return e;
}

std::optional<Estimate> estimate_of_launch(Record const& record) {
    auto e = estimate_of_value(record);
    if (!e || is_merged(record))
        return e;
    if (record.derived.find("entered_by") != nullptr) {
        e->median = e->value;
        e->median_interval = e->interval;
    } else if (e->middle) {
        double const by = *e->middle - e->median;
        e->median = *e->middle;
        if (e->median_interval)
            e->median_interval = Interval{e->median_interval->first + by, e->median_interval->second + by};
    }
    e->middle.reset();
    return e;
}

bool launches_disagree(std::span<double const> xs, double clock_step) {
    constexpr double far = 3;
    constexpr std::size_t enough = 5;
    constexpr double spreads = 5;
    constexpr double matters = 1.1;
    if (xs.size() < 2)
        return false;
    double const middle = median(xs);
    auto const [least, most] = std::minmax_element(xs.begin(), xs.end());
    double const farthest = std::max(*most / middle, middle / *least);
    // Each value may be wrong by one step of the clock.
    if (clock_step > 0 && std::max(*most - middle, middle - *least) < 2 * clock_step)
        return false;
    return farthest > far ||
           (xs.size() >= enough && farthest > matters && std::log(farthest) > spreads * log_scale(xs));
}

std::vector<Record> merge_launches(std::span<std::vector<Record> const> launches, double confidence) {
    MachineStates one;
    one.states.resize(1);
    one.of_launch.assign(launches.size(), std::size_t{0});
    return merge_launches(launches, one, confidence);
}

std::vector<Record> merge_launches(std::span<std::vector<Record> const> launches, MachineStates const& states,
                                   double confidence) {
    require(states.of_launch.size() == launches.size() && !states.states.empty(),
            "merge_launches: the states must be those found for the same launches");
    std::vector<Record> result;
    for (OfPoint const& point : by_point(launches))
        result.push_back(merged(point, states, confidence));
    return result;
}

std::optional<Interval> own_interval(Record const& record) {
    auto const* const array = record.derived.get<Value::Array>(own_interval_name);
    if (array != nullptr && array->size() == 2) {
        auto const* const low = std::get_if<double>(&array->front().data());
        auto const* const high = std::get_if<double>(&array->back().data());
        if (low != nullptr && high != nullptr)
            return Interval{*low, *high};
    }
    auto const e = estimate_of_value(record);
    return e ? e->interval : std::nullopt;
}

void widen_by_runs(std::vector<Record>& points, std::span<std::vector<Record> const> earlier) {
    std::vector<std::vector<Record>> runs{points};
    runs.insert(runs.end(), earlier.begin(), earlier.end());
    // Points of the first run come first, in their order.
    auto const all = by_point(runs);
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto& point = points[i];
        auto const own = estimate_of_value(point);
        if (!own || !own->median_interval)
            continue;
        std::vector<double> medians{own->median};
        for (Record const* const run : std::span{all[i]}.subspan(1)) {
            auto const e = run != nullptr ? estimate_of_value(*run) : std::nullopt;
            if (!e || !e->median_interval)
                continue;
            medians.push_back(e->median);
            if (run->derived.find(runs_name) == nullptr)
                break;
        }
        if (medians.size() < 2)
            continue;
        auto const between = interval_or_range(medians, own->confidence);
        auto const [low, high] = *own->median_interval;
        point.derived[own_interval_name] = Value::Array{low, high};
        point.estimate->median_interval = Interval{std::min(low, between.first), std::max(high, between.second)};
        auto const [error_low, error_high] = interval_or_range(medians, one_error);
        point.derived[median_error] = std::max(own->standard_error.value_or(0), (error_high - error_low) / 2);
        point.derived[runs_name] = static_cast<std::int64_t>(medians.size());
    }
}

}  // namespace measure
