// SPDX-License-Identifier: BSD-3-Clause
#include "line_writer.hpp"
#include "measure/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <type_traits>

namespace measure {

namespace {

using json = nlohmann::ordered_json;

/// JSON has neither NaN nor infinity: a missing value is null.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
json number(std::optional<double> const& value) { return value ? number(*value) : json(nullptr); }
json text_or_null(std::optional<std::string> const& text) { return text ? json(*text) : json(nullptr); }

/// Null unless both ends are numbers.
json interval(std::optional<Interval> const& i) {
    if (!i || !std::isfinite(i->first) || !std::isfinite(i->second))
        return nullptr;
    return json::array({i->first, i->second});
}

json to_json(Value const& value) {
    return std::visit(
        [](auto const& v) -> json {
            using T = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::is_same_v<T, double>) {
                return number(v);
            } else if constexpr (std::is_same_v<T, Value::Array>) {
                json array = json::array();
                for (auto const& element : v)
                    array.push_back(to_json(element));
                return array;
            } else if constexpr (std::is_same_v<T, Value::Object>) {
                json object = json::object();
                for (auto const& [key, member] : v)
                    object[key] = to_json(member);
                return object;
            } else {
                return v;
            }
        },
        value.data());
}

/// Coordinates are scalars and never null, so a number that JSON cannot write becomes a text.
json to_json(Point const& at) {
    json object = json::object();
    for (auto const& [name, value] : at.coordinates())
        object[name] = std::visit(
            [](auto const& v) -> json {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, double>)
                    if (!std::isfinite(v))
                        return fmt::format("{}", v);
                return v;
            },
            value);
    return object;
}

/// "0.05", "0.5": as many digits as needed, never an exponent.
std::string quantile_key(double p) {
    std::string key = fmt::format("{:.9f}", p);
    key.erase(key.find_last_not_of('0') + 1);
    return key;
}

json to_json(Estimate const& e) {
    json object{{"mean", number(e.value)},
                {"standard_error", number(e.standard_error)},
                {"confidence", number(e.confidence)},
                {"interval", interval(e.interval)},
                {"median", number(e.median)},
                {"median_interval", interval(e.median_interval)},
                {"min", number(e.min)},
                {"max", number(e.max)}};
    if (!e.quantiles.empty()) {
        json& quantiles = object["quantiles"] = json::object();
        for (auto const& [p, value] : e.quantiles)
            quantiles[quantile_key(p)] = number(value);
    }
    return object;
}

json to_json(FaultCounts const& counts) {
    json object = json::object();
    auto const add = [&](Fault fault, std::int64_t count) {
        if (count > 0)
            object[std::string{name(fault)}] = count;
    };
    add(Fault::late, counts.late);
    add(Fault::overrun, counts.overrun);
    add(Fault::slip, counts.slip);
    add(Fault::failed, counts.failed);
    return object;
}

json to_json(OverRanks const& over) {
    return {{"min", number(over.min)}, {"mean", number(over.mean)}, {"max", number(over.max)}};
}

json to_json(Sample const& sample) {
    json object{{"stage", sample.stage},
                {"time", number(sample.time)},
                {"span", number(sample.span)},
                {"invalid", sample.fault == Fault::none ? json(nullptr) : json(name(sample.fault))}};
    if (sample.iterations > 1)
        object["iterations"] = sample.iterations;
    if (!sample.ranks.empty()) {
        json& ranks = object["ranks"] = json::array();
        for (auto const& r : sample.ranks)
            ranks.push_back(json::array({number(r.begin), number(r.end)}));
    }
    return object;
}

json to_json(Host const& host) {
    return {{"name", host.name}, {"ranks", host.ranks}, {"cores", host.cores}, {"cpu", text_or_null(host.cpu)}};
}

json to_json(TimerInfo const& timer) {
    return {{"name", timer.name},
            {"resolution", number(timer.resolution.count())},
            {"overhead", number(timer.overhead.count())},
            {"frequency", timer.frequency > 0 ? number(timer.frequency) : json(nullptr)}};
}

json to_json(SyncReport const& sync) {
    return {{"algorithm", sync.algorithm},
            {"duration", sync.duration},
            {"bound", number(sync.bound)},
            {"uncertainty", number(sync.uncertainty)},
            {"drift", number(sync.drift)},
            {"closure", number(sync.closure)},
            {"closure_bound", sync.closure_bound},
            {"rtt_min", sync.rtt_min},
            {"rtt_median", sync.rtt_median},
            {"rtt_max", sync.rtt_max},
            {"offset_max", sync.offset_max},
            {"consistent", sync.consistent},
            {"hosts", sync.hosts},
            {"edges", sync.edges},
            {"shared", sync.shared},
            {"poor", sync.poor},
            {"messages", sync.messages}};
}

template <class T>
json array_of(std::vector<T> const& elements) {
    json array = json::array();
    for (auto const& element : elements)
        array.push_back(to_json(element));
    return array;
}

/// Text that is not UTF-8 (a host name, an argument) is repaired: a broken name must not cost a record.
std::string compact(json const& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string json_text(Value const& value) { return compact(to_json(value)); }

std::string json_line(Environment const& run) {
    bool const has_mpi = run.mpi_library.has_value();
    json object{{"record", "run"},
                {"schema", record_schema},
                {"suite", run.suite},
                {"program", run.program},
                {"version", run.version},
                {"command", run.command},
                {"started", run.started},
                {"mpi", has_mpi ? json{{"library", *run.mpi_library}, {"standard", run.mpi_standard}} : json(nullptr)},
                {"ranks", run.ranks},
                {"hosts", array_of(run.hosts)},
                {"oversubscribed", run.oversubscribed},
                {"kernel", text_or_null(run.kernel)},
                {"clocksource", text_or_null(run.clocksource)},
                {"governor", text_or_null(run.governor)},
                {"compiler", run.compiler},
                {"timer", to_json(run.timer)},
                {"clock_sync", has_mpi && run.clock_sync ? to_json(*run.clock_sync) : json(nullptr)},
                {"options", to_json(run.options)},
                {"warnings", run.warnings}};
    if (run.mpi_settings) {
        json& settings = object["mpi_settings"] = json::object();
        for (auto const& [name, value] : *run.mpi_settings)
            settings[name] = value;
    }
    if (run.campaign)
        object["campaign"] = json{{"id", run.campaign->id}, {"launch", run.campaign->launch}};
    for (auto const& [name, value] : run.more)
        object[name] = to_json(value);
    return compact(object);
}

std::string json_line(Record const& point) {
    json object{{"record", "point"},
                {"benchmark", point.benchmark},
                {"at", to_json(point.at)},
                {"quantity", name(point.quantity)},
                {"unit", unit(point.quantity)},
                {"value", number(point.value)},
                {"verdict", name(point.outcome)}};
    if (!point.reason.empty())
        object["reason"] = point.reason;
    object["estimate"] = point.estimate ? to_json(*point.estimate) : json(nullptr);
    object["attempts"] = point.attempts;
    object["valid"] = point.valid;
    object["kept"] = point.kept;
    object["invalid"] = to_json(point.invalid);
    if (point.over_ranks)
        object["over_ranks"] = to_json(*point.over_ranks);
    if (point.iterations_per_sample)
        object["iterations_per_sample"] = *point.iterations_per_sample;
    if (point.correction)
        object["correction"] = number(*point.correction);
    object["derived"] = to_json(point.derived);
    object["flags"] = point.flags;
    object["elapsed"] = point.elapsed.count();
    if (point.has_samples)
        object["samples"] = array_of(point.samples);
    return compact(object);
}

std::string json_line(Summary const& summary) {
    return compact({{"record", "summary"},
                    {"name", summary.name},
                    {"value", number(summary.value)},
                    {"unit", summary.unit},
                    {"derived", to_json(summary.derived)}});
}

std::string json_line(EndRecord const& end) {
    json object{{"record", "end"},
                {"status", end.status},
                {"exit_code", end.exit_code},
                {"elapsed", number(end.elapsed)},
                {"clock_sync_residual", number(end.clock_sync_residual)}};
    if (end.clock_sync_residual_rms)
        object["clock_sync_residual_rms"] = *end.clock_sync_residual_rms;
    if (!end.message.empty())
        object["message"] = end.message;
    return compact(object);
}

void JsonLinesSink::line(std::string text) const {
    text += '\n';
    detail::write_line(descriptor_, text, "record");
}

}  // namespace measure
