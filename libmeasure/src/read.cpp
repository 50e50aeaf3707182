// SPDX-License-Identifier: BSD-3-Clause
#include "measure/read.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace measure {

namespace {

using json = nlohmann::ordered_json;

/// What is wrong with a line; becomes a RecordFault with its number.
struct BadLine {
    std::string text;
};

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Null for a member that is missing or null.
json const* find(json const& object, char const* name) {
    auto const found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

json const& array_or_object(json const& value, char const* name, bool is_array) {
    if (is_array ? !value.is_array() : !value.is_object())
        throw BadLine{fmt::format("'{}' is not an {}", name, is_array ? "array" : "object")};
    return value;
}

/// Whole numbers that the type has, written as 3 or as 3.0.
template <class T>
bool is_whole_of(json const& value) {
    if (value.is_number_float()) {
        double const x = value.get<double>();
        // The upper limit of 64 bits is no double; the next one is its power of two.
        return x == std::floor(x) && x >= static_cast<double>(std::numeric_limits<T>::min()) &&
               x < std::ldexp(1.0, std::numeric_limits<T>::digits);
    }
    return value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                      : std::in_range<T>(value.get<std::int64_t>());
}

/// A member of a scalar type; nothing where it is missing or null.
template <class T>
std::optional<T> optional(json const& object, char const* name) {
    json const* const value = find(object, name);
    if (value == nullptr)
        return std::nullopt;
    bool const fits = std::is_same_v<T, std::string> ? value->is_string()
                      : std::is_same_v<T, bool>      ? value->is_boolean()
                                                     : value->is_number();
    if (!fits)
        throw BadLine{fmt::format("'{}' is not a {}", name,
                                  std::is_same_v<T, std::string> ? "text"
                                  : std::is_same_v<T, bool>      ? "truth value"
                                                                 : "number")};
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        if (!is_whole_of<T>(*value))
            throw BadLine{fmt::format("'{}' is no whole number, or out of range: {}", name, value->dump())};
    return value->get<T>();
}

template <class T>
void read(json const& object, char const* name, T& target) {
    if (auto value = optional<T>(object, name))
        target = std::move(*value);
}
template <class T>
void read(json const& object, char const* name, std::optional<T>& target) {
    target = optional<T>(object, name);
}

template <class T>
T required(json const& object, char const* name) {
    auto value = optional<T>(object, name);
    if (!value)
        throw BadLine{fmt::format("'{}' is missing", name)};
    return std::move(*value);
}

json const& elements(json const& object, char const* name) {
    static json const none = json::array();
    json const* const value = find(object, name);
    return value == nullptr ? none : array_or_object(*value, name, true);
}

json const& members(json const& object, char const* name) {
    static json const none = json::object();
    json const* const value = find(object, name);
    return value == nullptr ? none : array_or_object(*value, name, false);
}

std::vector<std::string> texts(json const& object, char const* name) {
    std::vector<std::string> result;
    for (json const& text : elements(object, name)) {
        if (!text.is_string())
            throw BadLine{fmt::format("'{}' is not an array of texts", name)};
        result.push_back(text.get<std::string>());
    }
    return result;
}

Value value_of(json const& j) {
    if (j.is_boolean())
        return j.get<bool>();
    if (j.is_number_unsigned() && j.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        return j.get<double>();
    if (j.is_number_integer())
        return j.get<std::int64_t>();
    if (j.is_number())
        return j.get<double>();
    if (j.is_string())
        return j.get<std::string>();
    if (j.is_array()) {
        Value::Array array;
        for (json const& element : j)
            array.push_back(value_of(element));
        return array;
    }
    if (j.is_object()) {
        Value::Object object;
        for (auto const& [key, member] : j.items())
            object.emplace_back(key, value_of(member));
        return object;
    }
    return nullptr;
}

Value object_value(json const& object, char const* name) { return value_of(members(object, name)); }

Point point_of(json const& object) {
    Point at;
    for (auto const& [name, j] : object.items()) {
        if (j.is_boolean())
            at.set(name, j.get<bool>());
        else if (j.is_number_integer())
            at.set(name, j.get<std::int64_t>());
        else if (j.is_number())
            at.set(name, j.get<double>());
        else if (j.is_string())
            at.set(name, j.get<std::string>());
        else
            throw BadLine{fmt::format("the coordinate '{}' is no scalar", name)};
    }
    return at;
}

Quantity quantity_of(std::string const& name, std::string const& unit) {
    for (auto const q : {Quantity::time, Quantity::bandwidth, Quantity::rate, Quantity::flops, Quantity::memory,
                         Quantity::ratio, Quantity::count})
        if (name == measure::name(q) && (q != Quantity::rate || unit != measure::unit(Quantity::flops)))
            return q;
    throw BadLine{fmt::format("the quantity '{}' is not known", name)};
}

Outcome outcome_of(std::string const& name) {
    for (auto const o :
         {Outcome::converged, Outcome::exhausted, Outcome::no_valid_samples, Outcome::skipped, Outcome::crashed})
        if (name == measure::name(o))
            return o;
    throw BadLine{fmt::format("the verdict '{}' is not known", name)};
}

Fault fault_of(std::string const& name) {
    for (auto const f : {Fault::late, Fault::overrun, Fault::slip, Fault::failed})
        if (name == measure::name(f))
            return f;
    throw BadLine{fmt::format("the invalid sample's reason '{}' is not known", name)};
}

double number(json const& j, char const* name) {
    if (j.is_null())
        return no_number;
    if (!j.is_number())
        throw BadLine{fmt::format("'{}' holds what is not a number", name)};
    return j.get<double>();
}

std::pair<double, double> pair_of(json const& j, char const* name) {
    if (!j.is_array() || j.size() != 2)
        throw BadLine{fmt::format("'{}' is not a pair of numbers", name)};
    return {number(j[0], name), number(j[1], name)};
}

std::optional<Interval> interval(json const& object, char const* name) {
    json const* const value = find(object, name);
    return value == nullptr ? std::nullopt : std::optional<Interval>{pair_of(*value, name)};
}

double quantile_of(std::string const& key) {
    try {
        return std::stod(key);
    } catch (std::exception const&) {
        throw BadLine{fmt::format("the quantile '{}' is not a number", key)};
    }
}

Estimate estimate_of(json const& object) {
    Estimate e{.value = no_number, .median = no_number, .min = no_number, .max = no_number};
    read(object, "mean", e.value);
    read(object, "standard_error", e.standard_error);
    read(object, "confidence", e.confidence);
    e.interval = interval(object, "interval");
    read(object, "median", e.median);
    e.median_interval = interval(object, "median_interval");
    read(object, "min", e.min);
    read(object, "max", e.max);
    for (auto const& [key, value] : members(object, "quantiles").items())
        e.quantiles[quantile_of(key)] = number(value, "quantiles");
    return e;
}

Sample sample_of(json const& object) {
    Sample sample{.time = no_number};
    array_or_object(object, "samples", false);
    read(object, "stage", sample.stage);
    read(object, "time", sample.time);
    read(object, "span", sample.span);
    if (object.contains("iterations"))
        read(object, "iterations", sample.iterations);
    if (auto const reason = optional<std::string>(object, "invalid"))
        sample.fault = fault_of(*reason);
    for (json const& times : elements(object, "ranks")) {
        auto const [begin, end] = pair_of(times, "ranks");
        sample.ranks.push_back({begin, end});
    }
    return sample;
}

void read_counts(json const& object, Record& record) {
    read(object, "attempts", record.attempts);
    read(object, "valid", record.valid);
    read(object, "kept", record.kept);
    json const& invalid = members(object, "invalid");
    read(invalid, "late", record.invalid.late);
    read(invalid, "overrun", record.invalid.overrun);
    read(invalid, "slip", record.invalid.slip);
    read(invalid, "failed", record.invalid.failed);
}

Record record_of(json const& object) {
    Record record;
    record.benchmark = required<std::string>(object, "benchmark");
    if (find(object, "at") == nullptr)
        throw BadLine{"'at' is missing"};
    record.at = point_of(members(object, "at"));
    record.quantity = quantity_of(required<std::string>(object, "quantity"), required<std::string>(object, "unit"));
    read(object, "value", record.value);
    record.outcome = outcome_of(required<std::string>(object, "verdict"));
    read(object, "reason", record.reason);
    read_counts(object, record);
    if (find(object, "estimate") != nullptr) {
        record.estimate = estimate_of(members(object, "estimate"));
        record.estimate->samples = static_cast<std::size_t>(std::max<std::int64_t>(record.valid, 0));
        record.estimate->kept = static_cast<std::size_t>(std::max<std::int64_t>(record.kept, 0));
    }
    if (find(object, "over_ranks") != nullptr) {
        json const& over = members(object, "over_ranks");
        record.over_ranks = OverRanks{no_number, no_number, no_number};
        read(over, "min", record.over_ranks->min);
        read(over, "mean", record.over_ranks->mean);
        read(over, "max", record.over_ranks->max);
    }
    read(object, "iterations_per_sample", record.iterations_per_sample);
    read(object, "correction", record.correction);
    record.derived = object_value(object, "derived");
    record.flags = texts(object, "flags");
    record.elapsed = seconds{optional<double>(object, "elapsed").value_or(0)};
    record.has_samples = find(object, "samples") != nullptr;
    for (json const& sample : elements(object, "samples"))
        record.samples.push_back(sample_of(sample));
    return record;
}

Host host_of(json const& object) {
    Host host;
    array_or_object(object, "hosts", false);
    read(object, "name", host.name);
    read(object, "ranks", host.ranks);
    read(object, "cores", host.cores);
    read(object, "cpu", host.cpu);
    return host;
}

TimerInfo timer_of(json const& object) {
    TimerInfo timer;
    read(object, "name", timer.name);
    timer.resolution = seconds{optional<double>(object, "resolution").value_or(0)};
    timer.overhead = seconds{optional<double>(object, "overhead").value_or(0)};
    read(object, "frequency", timer.frequency);
    return timer;
}

SyncReport sync_of(json const& object) {
    SyncReport sync;
    read(object, "algorithm", sync.algorithm);
    read(object, "duration", sync.duration);
    read(object, "bound", sync.bound);
    read(object, "uncertainty", sync.uncertainty);
    read(object, "drift", sync.drift);
    read(object, "closure", sync.closure);
    read(object, "closure_bound", sync.closure_bound);
    read(object, "rtt_min", sync.rtt_min);
    read(object, "rtt_median", sync.rtt_median);
    read(object, "rtt_max", sync.rtt_max);
    read(object, "offset_max", sync.offset_max);
    read(object, "consistent", sync.consistent);
    read(object, "hosts", sync.hosts);
    read(object, "edges", sync.edges);
    read(object, "poor", sync.poor);
    read(object, "shared", sync.shared);
    read(object, "messages", sync.messages);
    return sync;
}

std::vector<Setting> settings_of(json const& object) {
    std::vector<Setting> settings;
    for (auto const& [name, value] : object.items())
        settings.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
    return settings;
}

Campaign campaign_of(json const& object) {
    Campaign campaign{.id = required<std::string>(object, "id")};
    read(object, "launch", campaign.launch);
    return campaign;
}

/// The members of a run line that Environment has fields for.
constexpr std::array<std::string_view, 21> known_members{
    "record",   "schema", "suite",      "program",        "version",  "command",      "started",
    "mpi",      "ranks",  "hosts",      "oversubscribed", "kernel",   "clocksource",  "governor",
    "compiler", "timer",  "clock_sync", "options",        "warnings", "mpi_settings", "campaign"};

Environment environment_of(json const& object) {
    if (auto const schema = optional<std::int64_t>(object, "schema").value_or(record_schema); schema > record_schema)
        throw BadLine{
            fmt::format("the record's schema {} is newer than {}, which is read here", schema, record_schema)};
    Environment run;
    run.suite = required<std::string>(object, "suite");
    read(object, "program", run.program);
    read(object, "version", run.version);
    run.command = texts(object, "command");
    read(object, "started", run.started);
    json const& mpi = members(object, "mpi");
    read(mpi, "library", run.mpi_library);
    read(mpi, "standard", run.mpi_standard);
    read(object, "ranks", run.ranks);
    for (json const& host : elements(object, "hosts"))
        run.hosts.push_back(host_of(host));
    read(object, "oversubscribed", run.oversubscribed);
    read(object, "kernel", run.kernel);
    read(object, "clocksource", run.clocksource);
    read(object, "governor", run.governor);
    read(object, "compiler", run.compiler);
    run.timer = timer_of(members(object, "timer"));
    if (find(object, "clock_sync") != nullptr)
        run.clock_sync = sync_of(members(object, "clock_sync"));
    if (find(object, "mpi_settings") != nullptr)
        run.mpi_settings = settings_of(members(object, "mpi_settings"));
    if (find(object, "campaign") != nullptr)
        run.campaign = campaign_of(members(object, "campaign"));
    run.options = object_value(object, "options");
    run.warnings = texts(object, "warnings");
    for (auto const& [name, member] : object.items())
        if (std::find(known_members.begin(), known_members.end(), name) == known_members.end())
            run.more.emplace_back(name, value_of(member));
    return run;
}

Summary summary_of(json const& object) {
    Summary summary;
    summary.name = required<std::string>(object, "name");
    read(object, "value", summary.value);
    read(object, "unit", summary.unit);
    summary.derived = object_value(object, "derived");
    return summary;
}

EndRecord end_of(json const& object) {
    EndRecord end;
    read(object, "status", end.status);
    read(object, "exit_code", end.exit_code);
    read(object, "elapsed", end.elapsed);
    read(object, "clock_sync_residual", end.clock_sync_residual);
    read(object, "clock_sync_residual_rms", end.clock_sync_residual_rms);
    read(object, "message", end.message);
    return end;
}

/// What is nested without end would use up the stack. Counted before it is read: the parser's own hook looks through a
/// whole array after each of its objects.
void check_depth(std::string_view line) {
    constexpr int deepest = 200;
    int depth = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < line.size(); ++i)
        if (char const c = line[i]; c == '"')
            in_text = !in_text;
        else if (in_text)
            i += c == '\\' ? 1U : 0U;
        else if (c == '{' || c == '[') {
            if (++depth > deepest)
                throw BadLine{fmt::format("this line is nested more than {} levels deep", deepest)};
        } else if (c == '}' || c == ']')
            --depth;
}

/// A discarded value where the line is broken.
json parsed_or_discarded(std::string_view line) {
    check_depth(line);
    return json::parse(line, nullptr, false);
}

json parsed(std::string_view line) {
    json object = parsed_or_discarded(line);
    if (object.is_discarded() || !object.is_object())
        throw BadLine{"this line is broken: it is no JSON object"};
    return object;
}

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    auto const begin = std::min(line.find_first_not_of(blanks), line.size());
    auto const end = line.find_last_not_of(blanks);
    return begin == line.size() ? std::string_view{} : line.substr(begin, end + 1 - begin);
}

/// Whether a line that does not begin as one of a record has been one: text of people and launchers has no such signs.
bool looks_damaged(std::string_view line) {
    return line.find("\":") != std::string_view::npos || line.ends_with('}') ||
           line.find('\0') != std::string_view::npos;
}

OtherLine other_line(int number, std::string_view text) {
    constexpr std::size_t longest = 60;
    return {number, std::string{text.substr(0, longest)}};
}

/// \return false for a kind of line that is not known
bool add(std::vector<RunRecord>& runs, json const& object, std::size_t begin) {
    auto const kind = required<std::string>(object, "record");
    if (kind == "run") {
        runs.push_back({.run = environment_of(object), .begin = begin});
        return true;
    }
    if (runs.empty())
        throw BadLine{fmt::format("a '{}' line before the first 'run' line", kind)};
    if (kind == "point")
        runs.back().points.push_back(record_of(object));
    else if (kind == "summary")
        runs.back().summaries.push_back(summary_of(object));
    else if (kind == "end")
        runs.back().end = end_of(object);
    else
        return false;
    return true;
}

}  // namespace

std::vector<RunRecord> read_records(std::string_view text) {
    std::vector<RunRecord> runs;
    std::vector<OtherLine> before;
    int number = 0;
    auto const size = text.size();
    auto const leave_out = [&](std::string_view line) {
        (runs.empty() ? before : runs.back().others).push_back(other_line(number, line));
    };
    while (!text.empty()) {
        auto const begin = size - text.size();
        auto const end = text.find('\n');
        auto const line = trimmed(text.substr(0, end));
        bool const is_whole = end != std::string_view::npos;
        text.remove_prefix(is_whole ? end + 1 : text.size());
        ++number;
        if (line.empty())
            continue;
        try {
            json const object = line.front() != '{' ? json(json::value_t::discarded)
                                : is_whole          ? parsed(line)
                                                    : parsed_or_discarded(line);
            if (object.is_object()) {
                if (!add(runs, object, begin))
                    leave_out(line);
            } else if (line.front() != '{' && !looks_damaged(line))
                leave_out(line);
            else if (is_whole)
                throw BadLine{"this line is broken: it is no JSON object"};
            else if (!runs.empty())
                runs.back().torn = true;
        } catch (BadLine const& bad) {
            throw RecordFault{number, bad.text};
        }
    }
    if (runs.empty())
        throw RecordFault{1, "this is no record file: it has no 'run' line"};
    runs.front().others.insert(runs.front().others.begin(), before.begin(), before.end());
    return runs;
}

}  // namespace measure
