// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/points.hpp"

#include "analysis/runs/dimension.hpp"
#include "analysis/runs/meaning.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace measure {

namespace {

bool is_comparable(double x) { return std::isfinite(x) && x > 0; }

std::optional<double> number_of(Value const& value) {
    if (auto const* const x = std::get_if<double>(&value.data()))
        return *x;
    if (auto const* const i = std::get_if<std::int64_t>(&value.data()))
        return static_cast<double>(*i);
    return std::nullopt;
}

std::vector<std::optional<double>> numbers_in(Value::Array const& array) {
    std::vector<std::optional<double>> values;
    for (Value const& value : array)
        values.push_back(number_of(value));
    return values;
}

/// The value of a launch: the median, or the value if the record has no estimate.
std::optional<double> launch_median(Record const& record) {
    auto const own = estimate_of_launch(record);
    return own ? std::optional{own->median} : record.value;
}

std::string why_not(Record const& record, std::optional<double> value) {
    if (value)
        return fmt::format("the value {} is not above zero", *value);
    return record.message.empty() ? std::string{name(record.status)}
                                  : fmt::format("{}: {}", name(record.status), record.message);
}

/// Collects everything that the launches contain about a point.
struct Collected {
    Observed observed{};
    std::map<LaunchNumber, std::vector<double>> values{};
    std::vector<double> clock_errors{};

    void add(std::size_t launch, Record const& record) {
        note_clock(record);
        (record.has_flag("start_fell_back") ? observed.after_barriers : observed.in_slots) = true;
        auto const all = launch_values_in_all_states(record);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] && is_comparable(*all[i])) {
                values[{launch, i}].push_back(*all[i]);
                // A merged record has the interval of all its launches, which does not apply to a remaining one.
                bool const is_only = values.size() == 1 && values.begin()->second.size() == 1;
                observed.single = is_only && !is_merged(record) ? &record : nullptr;
            } else {
                ++observed.without_value;
                observed.reason = why_not(record, all[i]);
            }
    }

    void note_clock(Record const& record) {
        auto const e = estimate_of_launch(record);
        if (!e || !is_comparable(e->median))
            return;
        double const scatter =
            quartile_deviation(e->quantiles).value_or(record.derived.number({"launch_scatter"}).value_or(0));
        clock_errors.push_back(step_in_difference(e->clock_step, scatter) / e->median);
    }

    Observed take() {
        if (!clock_errors.empty())
            observed.clock_error = median(clock_errors);
        for (auto const& [launch, some] : values)
            observed.launches[launch] = some.size() == 1 ? some.front() : log_mean(some);
        return std::move(observed);
    }
};

bool has_no_size(Launch const& launch, Record const& record) {
    auto const meaning = semantics_of(launch.record.run.suite, record);
    return meaning && meaning->kind == OperationKind::barrier;
}

/// Sorts by group and benchmark in order of first appearance, then by coordinates.
void sort_shuffled(std::vector<Observed>& points) {
    std::vector<std::pair<std::string, std::string>> places;
    auto const place = [&](Observed const& o) {
        return std::find(places.begin(), places.end(), std::pair{o.point.group, o.point.benchmark}) - places.begin();
    };
    for (auto const& point : points)
        if (place(point) == std::ssize(places))
            places.emplace_back(point.point.group, point.point.benchmark);
    std::stable_sort(points.begin(), points.end(), [&](Observed const& a, Observed const& b) {
        return std::pair{place(a), a.point.at.coordinates()} < std::pair{place(b), b.point.at.coordinates()};
    });
}

}  // namespace

std::vector<std::optional<double>> launch_values(Record const& record) {
    if (!is_merged(record))
        return {launch_median(record)};
    return numbers_in(*record.derived.get<Value::Array>("launch_medians"));
}

std::vector<std::optional<double>> launch_values_in_all_states(Record const& record) {
    auto const* const all = record.derived.get<Value::Array>("medians_in_all_states");
    return all != nullptr ? numbers_in(*all) : launch_values(record);
}

PointKey point_key(PointName const& point, std::size_t occurrence) {
    auto coordinates = point.at.coordinates();
    std::sort(coordinates.begin(), coordinates.end());
    return {point.group, point.benchmark, point.quantity, std::move(coordinates), occurrence};
}

std::vector<double> numbers(LaunchValues const& values) {
    std::vector<double> result;
    for (auto const& [launch, value] : values)
        result.push_back(value);
    return result;
}

PointName operation_name(PointName point) {
    Point rest;
    for (auto const& [key, value] : point.at.coordinates())
        if (std::find(size_coordinates.begin(), size_coordinates.end(), key) == size_coordinates.end())
            rest.set(key, value);
    point.at = std::move(rest);
    return point;
}

std::vector<Observed> observed(std::span<Launch const> launches, std::string const& by) {
    std::vector<Collected> collected;
    std::map<PointKey, std::size_t> index;
    for (std::size_t number = 0; number < launches.size(); ++number) {
        auto const& launch = launches[number];
        std::map<PointKey, std::size_t> seen;
        for (Record const& record : launch.record.points) {
            PointName point{.group = by.empty() ? std::string{}
                                                : dimension_value(by, launch.record.run, record).value_or("none"),
                            .benchmark = record.benchmark,
                            .quantity = record.quantity,
                            .at = record.at};
            bool const is_one = has_no_size(launch, record);
            if (is_one)
                point = operation_name(std::move(point));
            auto const occurrence = is_one ? 0 : seen[point_key(point, 0)]++;
            auto const [found, is_new] = index.emplace(point_key(point, occurrence), collected.size());
            if (is_new)
                collected.push_back({.observed = {.point = point,
                                                  .occurrence = occurrence,
                                                  .is_control = is_control_of(launch.record.run, record)}});
            collected[found->second].add(number, record);
        }
    }
    std::vector<Observed> points;
    for (auto& one : collected)
        points.push_back(one.take());
    if (std::any_of(launches.begin(), launches.end(), [](auto const& each) { return is_shuffled(each.record.run); }))
        sort_shuffled(points);
    return points;
}

std::vector<double> samples_of(Record const& record) {
    std::vector<double> times;
    for (auto const& sample : record.samples)
        if (sample.invalid == InvalidReason::none && is_comparable(sample.time))
            times.push_back(sample.time);
    if (times.empty())
        return times;
    if (is_rate(record.quantity))
        std::transform(times.begin(), times.end(), times.begin(), [](double time) { return 1 / time; });
    else if (double const by = moved_by(record).value_or(0); by != 0 && is_comparable(record.estimate->median)) {
        // A value may be a fraction or a multiple of a sample.
        double const scale = median(times) / record.estimate->median;
        std::transform(times.begin(), times.end(), times.begin(), [&](double time) { return time + by * scale; });
    }
    std::erase_if(times, [](double x) { return !is_comparable(x); });
    return times;
}

}  // namespace measure
