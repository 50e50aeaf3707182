// SPDX-License-Identifier: BSD-3-Clause
#include "shared/common_terms.hpp"

#include "shared/points.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace measure_tool {

namespace {

using measure::Environment;
using measure::Point;
using measure::Quantity;
using measure::Record;
using measure::Value;

/// Turns a number of a record, in its unit, into seconds of one operation.
struct TimeOf {
    Semantics const& meaning;
    Quantity quantity;
    std::optional<measure::Bytes> bytes;

    [[nodiscard]] std::optional<double> operator()(double value) const {
        return measure_tool::time_of(meaning, quantity, value, bytes);
    }
};

/// The errors in `derived` of a joined value, which keep their share of it.
/// \param factor  the value in seconds over that in its own unit
void convert_errors(Value& derived, double factor) {
    for (std::string_view const name : {"median_error", "standard_error_within", "launch_scatter"})
        if (auto const error = derived.number({name}))
            derived[name] = *error * factor;
}

/// The values of launches in `derived`, each of which is compared for itself.
void convert_launches(Value& derived, TimeOf const& time) {
    for (std::string_view const name : {"launch_medians", "medians_in_all_states"}) {
        auto const* const list = derived.get<Value::Array>(name);
        if (list == nullptr)
            continue;
        Value::Array times;
        for (auto const& value : *list) {
            auto const* const number = std::get_if<double>(&value.data());
            auto const converted = number != nullptr ? time(*number) : std::nullopt;
            times.push_back(converted ? Value{*converted} : Value{});
        }
        derived[name] = std::move(times);
    }
}

Point place_of(Semantics const& meaning, Environment const& run, Record const& record) {
    auto const ranks = std::max<std::int64_t>(integer_at(record.at, "ranks").value_or(run.ranks), 1);
    Point at{{"ranks", ranks}};
    if (auto const bytes = integer_at(record.at, "bytes"); bytes && meaning.kind != OperationKind::barrier)
        at.set("bytes", block_size(meaning, *bytes, ranks));
    return at;
}

/// The record as the time of one operation; without a value where its own is no time above zero.
Record of_one_operation(Record record, TimeOf const& time) {
    auto const seconds = record.value ? time(*record.value) : std::nullopt;
    if (!seconds) {
        if (record.value)
            record.message = fmt::format("its value {} is not above zero", *record.value);
        record.value.reset();
        record.estimate.reset();
        record.over_ranks.reset();
        return record;
    }
    double const value = *record.value;
    return record.quantity == Quantity::time ? measure::scaled(std::move(record), *seconds / value)
                                             : measure::as_time(std::move(record), *seconds * value);
}

/// ", datatype=vector": the coordinates that common terms leave out, where they vary in the benchmark.
std::string other_coordinates(std::span<Record const> points, Record const& record) {
    std::string text;
    for (auto const& [name, value] : record.at.coordinates()) {
        bool const is_common = name == "ranks" || std::find(size_coordinates.begin(), size_coordinates.end(), name) !=
                                                      size_coordinates.end();
        bool const varies = std::any_of(points.begin(), points.end(), [&, &of = name](Record const& other) {
            return other.benchmark == record.benchmark && coordinate_at(other, of) != coordinate_at(record, of);
        });
        if (!is_common && varies)
            text += ", " + coordinate_label(name, value);
    }
    return text;
}

std::string series_label(Series const& of, Record const& record, Method const& method) {
    return fmt::format("{}: {}{} ({})", of.label, record.benchmark, other_coordinates(of.points, record),
                       method_text(method));
}

}  // namespace

std::string common_name(Semantics const& semantics) {
    auto const& operation = semantics.operation;
    if (semantics.kind != OperationKind::ping_pong || operation.starts_with("Ping"))
        return operation;
    return operation == "Send" ? "PingPong" : operation + " PingPong";
}

std::optional<Record> in_common_terms(Environment const& run, Record const& record) {
    auto const meaning = semantics_of(run.suite, record);
    if (!meaning)
        return std::nullopt;
    auto const bytes = integer_at(record.at, "bytes");
    bool const has_time = record.quantity == Quantity::time || record.quantity == Quantity::rate ||
                          (record.quantity == Quantity::bandwidth && bytes);
    if (!has_time)
        return std::nullopt;
    TimeOf const time{*meaning, record.quantity, bytes};
    Record common = record;
    if (!measure::is_merged(record))
        common.estimate = measure::estimate_of_value(record);
    Record result = of_one_operation(std::move(common), time);
    convert_launches(result.derived, time);
    if (record.value && result.value)
        convert_errors(result.derived, *result.value / *record.value);
    result.correction.reset();
    result.quantity = Quantity::time;
    result.at = place_of(*meaning, run, record);
    result.benchmark = common_name(*meaning);
    result.semantics = Semantics{.operation = result.benchmark,
                                 .kind = meaning->kind,
                                 .size = meaning->size == SizeOf::whole ? SizeOf::whole : SizeOf::block};
    return result;
}

CommonLaunch in_common_terms(Launch const& launch) {
    auto const& run = launch.record.run;
    CommonLaunch result{.launch = launch};
    result.launch.record.points.clear();
    std::set<std::pair<std::string, std::string>> seen;
    for (auto const& record : launch.record.points) {
        auto common = in_common_terms(run, record);
        if (!common)
            continue;
        if (!seen.emplace(common->benchmark, common->at.text()).second) {
            result.left_out.push_back(fmt::format("{} {}", record.benchmark, record.at.text()));
            continue;
        }
        program::add_once(result.methods[common->benchmark], method_of(run, record));
        result.launch.record.points.push_back(std::move(*common));
    }
    return result;
}

std::vector<CommonOperation> common_operations(std::span<Series const> series) {
    std::vector<CommonOperation> operations;
    std::map<std::string, std::size_t> places;
    std::map<std::string, std::set<std::string>> suites;
    std::map<std::pair<std::string, std::string>, std::size_t> members;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            auto common = in_common_terms(one.run(), record);
            if (!common || !common->value)
                continue;
            auto const name = common->benchmark;
            suites[name].insert(one.run().suite);
            auto const [place, is_new] = places.try_emplace(name, operations.size());
            if (is_new)
                operations.push_back({.name = name});
            auto& operation = operations[place->second];
            auto const method = method_of(one.run(), record);
            auto label = series_label(one, record, method);
            auto const [member, is_first] = members.try_emplace({name, label}, operation.series.size());
            if (is_first) {
                operation.series.push_back({.label = std::move(label), .launches = one.launches});
                operation.methods.push_back(method);
            }
            operation.series[member->second].points.push_back(std::move(*common));
        }
    std::erase_if(operations, [&](CommonOperation const& operation) { return suites[operation.name].size() < 2; });
    return operations;
}

}  // namespace measure_tool
