// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/runs/common_terms.hpp"

#include "analysis/core/text.hpp"
#include "analysis/runs/points.hpp"

#include <measure/launches.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace measure {

namespace {

/// Converts a value of a record, in its unit, to seconds per operation.
struct TimeOf {
    Semantics const& meaning;
    Quantity quantity;
    std::optional<Bytes> bytes;

    [[nodiscard]] std::optional<double> operator()(double value) const {
        return time_of(meaning, quantity, value, bytes);
    }
};

/// Converts the errors in `derived` of a joined value; relative errors do not change. \param factor  value in seconds /
/// value in its own unit
void convert_errors(Value& derived, double factor) {
    for (std::string_view const name : {"median_error", "standard_error_within", "launch_scatter"})
        if (auto const error = derived.number({name}))
            derived[name] = *error * factor;
}

/// Converts the values of launches in `derived`, one by one.
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

bool is_of_a_pair(Semantics const& meaning) {
    constexpr std::array kinds{OperationKind::ping_pong, OperationKind::message, OperationKind::stream,
                               OperationKind::streams};
    return std::find(kinds.begin(), kinds.end(), meaning.kind) != kinds.end();
}

/// Whether the data are contiguous. Derived datatypes ("vector:1:16") are a different operation.
bool is_contiguous(Environment const& run, Record const& record) {
    auto const* const type = std::get_if<std::string>(record.at.find("datatype"));
    bool const is_derived = type != nullptr && type->find(':') != std::string::npos;
    return !is_derived && run.options.text("ddt").empty();
}

Point place_of(Semantics const& meaning, Environment const& run, Record const& record) {
    auto const all = std::max<std::int64_t>(integer_at(record.at, "ranks").value_or(run.ranks), 1);
    // Some programs record the ranks of the pair, others all processes of the launch.
    auto const ranks = is_of_a_pair(meaning) && !record.at.has("pairs") ? std::min<std::int64_t>(all, 2) : all;
    Point at{{"ranks", ranks}};
    if (auto const bytes = integer_at(record.at, "bytes"); bytes && meaning.kind != OperationKind::barrier)
        at.set("bytes", block_size(meaning, *bytes, ranks));
    return at;
}

/// The record as the time of one operation, without a value if its value is not above zero.
Record of_one_operation(Record record, TimeOf const& time) {
    auto const seconds = record.value ? time(*record.value) : std::nullopt;
    if (!seconds) {
        if (record.value)
            record.message = fmt::format("the value {} is not above zero", *record.value);
        record.value.reset();
        record.estimate.reset();
        record.over_ranks.reset();
        return record;
    }
    double const value = *record.value;
    return record.quantity == Quantity::time ? scaled(std::move(record), *seconds / value)
                                             : as_time(std::move(record), *seconds * value);
}

/// Combines the repetitions of a point: the median of their values, without an error.
Record joined(std::vector<Record> const& repetitions) {
    auto result = repetitions.front();
    if (repetitions.size() == 1)
        return result;
    std::vector<double> values;
    result.attempts = result.valid = result.kept = 0;
    for (auto const& one : repetitions) {
        if (one.value)
            values.push_back(*one.value);
        result.attempts += one.attempts;
        result.valid += one.valid;
        result.kept += one.kept;
        for (auto const& flag : one.flags)
            result.flag(flag);
    }
    result.value = values.empty() ? std::nullopt : std::optional{median(values)};
    result.estimate.reset();
    result.over_ranks.reset();
    result.message = fmt::format("median of {} repetitions", repetitions.size());
    return result;
}

/// Text such as ", datatype=vector": coordinates that common terms omit, if they vary in the benchmark.
std::string others(std::span<Record const> points, Record const& record) {
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

}  // namespace

std::string measured_with(Environment const& run, std::span<Record const> points, Record const& record) {
    return fmt::format("{}{} ({})", record.benchmark, others(points, record), method_text(method_of(run, record)));
}

std::string common_name(Semantics const& semantics) {
    auto const& operation = semantics.operation;
    if (semantics.kind == OperationKind::ping_pong && !operation.starts_with("Ping"))
        return operation == "Send" ? "PingPong" : operation + " PingPong";
    // Operations such as "Send stream" already contain the word; one-sided operations do not.
    bool const is_stream = semantics.kind == OperationKind::stream || semantics.kind == OperationKind::streams;
    if (is_stream && operation.find(" stream") == std::string::npos)
        return fmt::format("{} {}", operation, name(semantics.kind));
    return operation;
}

std::optional<Record> in_common_terms(Environment const& run, Record const& record) {
    auto const meaning = semantics_of(run.suite, record);
    if (!meaning)
        return std::nullopt;
    auto const bytes = integer_at(record.at, "bytes");
    bool const has_time = record.quantity == Quantity::time || record.quantity == Quantity::rate ||
                          (record.quantity == Quantity::bandwidth && bytes);
    if (!has_time || !is_contiguous(run, record))
        return std::nullopt;
    TimeOf const time{*meaning, record.quantity, bytes};
    Record common = record;
    if (!is_merged(record))
        common.estimate = estimate_of_value(record);
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

std::vector<CommonRecord> in_common_terms(Environment const& run, std::span<Record const> records) {
    std::vector<std::pair<Record const*, std::vector<Record>>> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (auto const& record : records) {
        auto common = in_common_terms(run, record);
        if (!common)
            continue;
        auto where = record.at.coordinates();
        std::erase_if(where, [](auto const& entry) { return entry.first == "repetition"; });
        Point at;
        for (auto const& [key, value] : where)
            at.set(key, value);
        bool const is_repeated = record.at.has("repetition");
        auto const [place, is_new] = places.try_emplace({record.benchmark, at.text()}, groups.size());
        if (is_new || !is_repeated) {
            place->second = groups.size();
            groups.push_back({&record, {}});
        }
        groups[place->second].second.push_back(std::move(*common));
    }
    std::vector<CommonRecord> result;
    for (auto const& [record, repetitions] : groups)
        result.push_back({joined(repetitions), record});
    return result;
}

CommonLaunch in_common_terms(Launch const& launch) {
    auto const& run = launch.record.run;
    CommonLaunch result{.launch = launch};
    result.launch.record.points.clear();
    std::set<std::pair<std::string, std::string>> seen;
    for (auto& [common, record] : in_common_terms(run, launch.record.points)) {
        if (!seen.emplace(common.benchmark, common.at.text()).second) {
            result.left_out.push_back(fmt::format("{} {}", record->benchmark, record->at.text()));
            continue;
        }
        detail::add_once(result.methods[common.benchmark], method_of(run, *record));
        result.launch.record.points.push_back(std::move(common));
    }
    return result;
}

std::vector<CommonOperation> common_operations(std::span<Series const> series) {
    std::vector<CommonOperation> operations;
    std::map<std::string, std::size_t> places;
    std::map<std::string, std::set<std::string>> suites;
    std::map<std::pair<std::string, std::string>, std::size_t> members;
    for (auto const& one : series)
        for (auto& [common, record] : in_common_terms(one.run(), one.points)) {
            if (!common.value)
                continue;
            auto const name = common.benchmark;
            suites[name].insert(one.run().suite);
            auto const [place, is_new] = places.try_emplace(name, operations.size());
            if (is_new)
                operations.push_back({.name = name});
            auto& operation = operations[place->second];
            auto label = fmt::format("{}: {}", one.label, measured_with(one.run(), one.points, *record));
            auto const [member, is_first] = members.try_emplace({name, label}, operation.series.size());
            if (is_first) {
                operation.series.push_back({.label = std::move(label), .launches = one.launches});
                operation.methods.push_back(method_of(one.run(), *record));
            }
            operation.series[member->second].points.push_back(std::move(common));
        }
    std::erase_if(operations, [&](CommonOperation const& operation) { return suites[operation.name].size() < 2; });
    return operations;
}

}  // namespace measure
