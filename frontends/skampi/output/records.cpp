// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/output/records.hpp"

#include "program/cli/values.hpp"
#include "skampi/output/number.hpp"
#include "skampi/routines/catalogue.hpp"

#include <measure/not_known.hpp>
#include <measure/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace skampi {

namespace {

constexpr double second = 1e6;  // microseconds
constexpr std::string_view files_flag = "files=";

std::string key_or(Block const& block, std::string_view key, char const* otherwise) {
    auto const* const value = block.key(key);
    return value != nullptr ? *value : otherwise;
}

std::int64_t integer_key(Block const& block, char const* key, char const* otherwise, std::int64_t low) {
    return program::as::Integer{.low = low}({fmt::format("{}: {}", block.name, key), key_or(block, key, otherwise)});
}

bool is_master_worker(Block const& block) { return key_or(block, "pattern", "") == "master-worker"; }
bool is_ping_pong(Block const& block) { return key_or(block, "pattern", "") == "point-to-point"; }

measure::Point place(Block const& block, Row const& row) {
    measure::Point at{{"ranks", processes(block, row)}, {"bytes", row.length}};
    if (is_master_worker(block))
        at.set("chunks", chunks(block, row));
    return at;
}

std::int64_t kept(Block const& block, std::int64_t samples) {
    double const cut =
        program::as::Number{.low = 0, .high = 0.5}({fmt::format("{}: cut", block.name), key_or(block, "cut", "0.25")});
    return samples - 2 * static_cast<std::int64_t>(measure::trim_count(static_cast<std::size_t>(samples), cut));
}

measure::Value derived_of(Block const& block, Row const& row) {
    measure::Value derived = measure::Value::Object{
        {"standard_error_population", row.error ? measure::Value{*row.error / second} : measure::Value{}},
        {"pattern", key_or(block, "pattern", "")}};
    if (auto const sync = key_or(block, "sync", ""); !sync.empty())
        derived["start"] = sync;
    if (is_ping_pong(block))
        derived["bandwidth"] = bandwidth(row) * second;
    if (is_master_worker(block))
        derived["time_per_chunk"] = row.time / second / static_cast<double>(chunks(block, row));
    if (std::any_of(row.flags.begin(), row.flags.end(), [](auto const& f) { return f.starts_with(files_flag); }))
        derived["files"] = files(row);
    return derived;
}

/// The semantics of the block's routine, which does not depend on the name of the measurement.
std::optional<measure::Semantics> semantics_of(Block const& block) {
    auto const* const routine = find_routine(key_or(block, "type", ""));
    return routine != nullptr ? routine->semantics() : std::nullopt;
}

measure::Record record_of(Block const& block, Row const& row) {
    measure::Record record{.benchmark = block.name,
                           .semantics = semantics_of(block),
                           .at = place(block, row),
                           .value = row.time / second,
                           .attempts = row.samples,
                           .valid = row.samples,
                           .kept = kept(block, row.samples),
                           .derived = derived_of(block, row)};
    for (char const* const flag : {"maxrep", "time-limit", "zero-time"})
        if (row.has(flag))
            record.status = measure::PointStatus::exhausted;
    for (std::string flag : row.flags) {
        std::replace(flag.begin(), flag.end(), '-', '_');
        if (!flag.starts_with(files_flag))
            record.flag(flag);
    }
    return record;
}

measure::Record record_without_rows(Block const& block) {
    std::string const status = block.status();
    bool const crashed = status == "abandoned" || status == "failed";
    std::string const reason = key_or(block, "reason", status == "ok" ? "no points" : status.c_str());
    measure::Point at{{"ranks", integer_key(block, "nodes", "1", 1)}};
    auto record = measure::make_record(block.name, std::move(at),
                                       crashed ? measure::PointStatus::crashed : measure::PointStatus::skipped, reason);
    record.semantics = semantics_of(block);
    return record;
}

template <class Convert>
measure::Value trailer_value(Block const& block, char const* key, Convert convert) {
    auto const* const text = find(block.trailer, key);
    if (text == nullptr)
        return nullptr;
    return convert(program::Argument{fmt::format("{}: {}", block.name, key), *text});
}

}  // namespace

std::int64_t processes(Block const& block, Row const& row) {
    return block.variable == "nodes" ? std::max<std::int64_t>(row.argument, 1) : integer_key(block, "nodes", "1", 1);
}

std::int64_t chunks(Block const& block, Row const& row) {
    if (!is_master_worker(block))
        return 0;
    return block.variable == "chunks" ? std::max<std::int64_t>(row.argument, 1) : integer_key(block, "chunks", "1", 1);
}

std::int64_t files(Row const& row) {
    for (std::string const& flag : row.flags)
        if (flag.starts_with(files_flag))
            return program::as::Integer{.low = 1}({"files", flag.substr(files_flag.size())});
    return 1;
}

double bandwidth(Row const& row) noexcept { return row.time > 0 ? 2 * static_cast<double>(row.length) / row.time : 0; }

std::vector<measure::Record> records(Block const& block) {
    if (block.rows.empty())
        return {record_without_rows(block)};
    std::vector<measure::Record> result;
    for (Row const& row : block.rows)
        result.push_back(record_of(block, row));
    return result;
}

measure::Summary summary(Block const& block) {
    measure::Value derived = measure::Value::Object{};
    derived["stop"] = trailer_value(block, "stop", program::as::Text{});
    derived["points_initial"] = trailer_value(block, "points_initial", program::as::Integer{});
    derived["points_refined"] = trailer_value(block, "points_refined", program::as::Integer{});
    derived["max_error"] = trailer_value(block, "max_error", program::as::Number{});
    derived["paper_error"] = trailer_value(block, "paper_error", program::as::Number{});
    derived["status"] = block.status();
    return {.name = block.name, .value = static_cast<double>(block.rows.size()), .derived = std::move(derived)};
}

namespace {

/// The ranks of each host, in the order of the lines "rank host" in the head.
std::vector<measure::Host> hosts_of(Output const& output) {
    std::vector<std::pair<std::string, std::vector<int>>> hosts;
    for (auto const& [key, value] : output.head) {
        auto const parts = words(value);
        if (key != "HOSTS" || parts.size() != 2)
            continue;
        auto const rank = program::as::Int{.low = 0}({"HOSTS", parts[0]});
        auto const found = std::find_if(hosts.begin(), hosts.end(), [&](auto const& h) { return h.first == parts[1]; });
        if (found == hosts.end())
            hosts.push_back({parts[1], {rank}});
        else
            found->second.push_back(rank);
    }
    std::vector<measure::Host> result;
    for (auto const& [name, ranks] : hosts)
        result.push_back({.name = name, .ranks = measure::rank_ranges(ranks), .cores = 0});
    return result;
}

/// Uses the option names of the programs.
measure::Value options_of(auto const& text) {
    measure::Value options = measure::Value::Object{};
    auto const add = [&](char const* name, std::string const& value, auto convert) {
        if (!value.empty())
            options[name] = convert(program::Argument{name, value});
    };
    auto const repetitions = words(text("REPETITIONS"));
    add("standard_error", text("EPS"), program::as::Number{});
    if (repetitions.size() == 2) {
        add("min_repetition", repetitions[0], program::as::Integer{});
        add("max_repetition", repetitions[1], program::as::Integer{});
    }
    add("cut_quantile", text("CUT"), program::as::Number{});
    add("sync", text("SYNC"), program::as::Text{});
    return options;
}

/// Whether the date has the form "2026-01-31T10:09:12Z".
bool is_time(std::string const& date) {
    std::tm parts{};
    return ::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) != nullptr;
}

}  // namespace

Source source_of(Output const& output) {
    auto const text = [&](char const* key) {
        auto const* const value = output.head_key(key);
        return value != nullptr ? *value : std::string{};
    };
    Source source;
    auto& run = source.run;
    run.suite = "skampi";
    run.program = "skampi";
    auto const version = words(text("VERSION"));
    run.version = version.size() == 2 ? version[1] : "";
    if (is_time(text("DATE")))
        run.started = text("DATE");
    if (auto library = text("MPILIB"); !library.empty())
        run.mpi_library = std::move(library);
    run.mpi_standard = text("MPI_STANDARD");
    if (auto system = text("OS"); !system.empty())
        run.kernel = std::move(system);
    run.compiler = text("COMPILER");
    run.timer.name = text("TIMER");
    run.oversubscribed = output.head_key("OVERSUBSCRIBED") != nullptr;
    run.hosts = hosts_of(output);
    run.options = options_of(text);
    if (auto const processes = text("PROCS"); !processes.empty())
        source.ranks = program::as::Int{.low = 1}({"PROCS", processes});
    auto const machine = text("MACHINE");
    bool const is_host =
        std::any_of(run.hosts.begin(), run.hosts.end(), [&](auto const& host) { return host.name == machine; });
    source.machine = is_host ? "" : machine;
    return source;
}

measure::Environment environment_of(Output const& output) {
    auto [run, ranks, machine] = source_of(output);
    if (!ranks)
        throw measure::UsageError("PROCS is missing in the head: the number of processes is unknown");
    run.ranks = *ranks;
    run.mpi_library = run.mpi_library.value_or(measure::not_named);
    if (run.timer.name.empty())
        run.timer.name = measure::not_named;
    measure::Value::Object converted{{"from", "skampi"}, {"head", head_value(output.head)}};
    if (!machine.empty())
        converted.emplace_back("machine", machine);
    run.more.emplace_back("converted", std::move(converted));
    return run;
}

measure::Value head_value(std::vector<Field> const& head) {
    measure::Value::Object object;
    for (auto const& [key, value] : head) {
        std::string const name = program::lower(key);
        auto const found = std::find_if(object.begin(), object.end(), [&](auto const& m) { return m.first == name; });
        if (found == object.end())
            object.emplace_back(name, value);
        else
            found->second = fmt::format("{}\n{}", std::get<std::string>(found->second.data()), value);
    }
    return object;
}

}  // namespace skampi
