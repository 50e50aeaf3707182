// SPDX-License-Identifier: BSD-3-Clause
/// The format of google/benchmark, which supports repetitions.
#include "analysis/runs/points.hpp"
#include "export/export.hpp"

#include <measure/environment_info.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace measure::tool {

namespace {

using measure::Quantity;
using measure::Record;
using measure::Value;

/// Times, and rates as the time of one byte or operation. Returns nullopt if the record has neither.
std::optional<std::vector<double>> nanoseconds_of(Record const& record, Exported& exported) {
    auto reason = why_without_number(record);
    if (!reason && record.quantity != Quantity::time && !is_rate(record.quantity))
        reason = "neither a time nor a rate";
    std::vector<double> times;
    if (!reason)
        for (double const value : repetitions(record))
            times.push_back((record.quantity == Quantity::time ? value : 1 / value) * 1e9);
    if (!reason && !std::all_of(times.begin(), times.end(), [](double t) { return std::isfinite(t); }))
        reason = "a rate of zero";
    if (reason) {
        ++exported.left_out[*reason];
        return std::nullopt;
    }
    ++exported.carried;
    return times;
}

void add_entry(Value::Array& benchmarks, std::string const& name, Value::Object more, Record const& record, double ns,
               std::size_t repetitions) {
    Value::Object entry{{"name", name}, {"run_name", name}};
    entry.insert(entry.end(), more.begin(), more.end());
    entry.insert(entry.end(), {{"repetitions", repetitions},
                               {"threads", 1},
                               {"iterations", std::max<std::int64_t>(1, record.iterations_per_sample.value_or(1))},
                               {"real_time", ns},
                               {"cpu_time", ns},
                               {"time_unit", "ns"}});
    benchmarks.emplace_back(std::move(entry));
}

/// Counters that google/benchmark defines.
void add_rate(Value::Array& benchmarks, Quantity quantity, double ns) {
    if (is_rate(quantity))
        benchmarks.back()[quantity == Quantity::bandwidth ? "bytes_per_second" : "items_per_second"] = 1e9 / ns;
}

void add_aggregate(Value::Array& benchmarks, std::string const& name, std::string const& kind, Record const& record,
                   double value, std::size_t repetitions, bool is_percentage = false) {
    add_entry(benchmarks, name,
              {{"run_type", "aggregate"},
               {"aggregate_name", kind},
               {"aggregate_unit", is_percentage ? "percentage" : "time"}},
              record, value, repetitions);
    benchmarks.back()["name"] = fmt::format("{}_{}", name, kind);
    benchmarks.back()["iterations"] = repetitions;
}

void add_point(Value::Array& benchmarks, std::string const& name, Record const& record,
               std::vector<double> const& times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
        add_entry(benchmarks, name, {{"run_type", "iteration"}, {"repetition_index", i}}, record, times[i],
                  times.size());
        add_rate(benchmarks, record.quantity, times[i]);
    }
    if (times.size() < 2)
        return;
    double const mean = measure::mean(times);
    double const deviation = measure::standard_deviation(times);
    add_aggregate(benchmarks, name, "mean", record, mean, times.size());
    add_aggregate(benchmarks, name, "median", record, measure::median(times), times.size());
    add_aggregate(benchmarks, name, "stddev", record, deviation, times.size());
    add_aggregate(benchmarks, name, "cv", record, mean > 0 ? deviation / mean : 0, times.size(), true);
}

Value context(std::span<Series const> series) {
    auto const& run = series.front().run();
    int cores = 0;
    for (auto const& host : run.hosts)
        cores += host.cores;
    double const mhz = run.timer.frequency / 1e6;
    return Value::Object{{"date", run.started.empty() ? Value{} : Value{run.started}},
                         {"host_name", run.hosts.empty() ? std::string{} : run.hosts.front().name},
                         {"executable", run.program},
                         {"num_cpus", cores},
                         {"mhz_per_cpu", std::isfinite(mhz) && mhz < 1e9 ? std::llround(mhz) : 0},
                         {"cpu_scaling_enabled", run.governor && *run.governor != "performance"},
                         {"caches", Value::Array{}},
                         {"load_avg", Value::Array{}},
                         {"library_version", fmt::format("libmeasure {}", measure::version())},
                         {"library_build_type", "release"},
                         {"json_schema_version", 1},
                         {"mpi_library", run.mpi_library},
                         {"ranks", run.ranks}};
}

}  // namespace

Exported export_google_benchmark(std::span<Series const> series) {
    Exported exported;
    Value::Array benchmarks;
    for (auto const& one : series)
        for (auto const& record : one.points)
            if (auto const times = nanoseconds_of(record, exported))
                add_point(benchmarks, slashed_name(one, series.size(), record), record, *times);
    exported.text =
        measure::json_text(Value::Object{{"context", context(series)}, {"benchmarks", std::move(benchmarks)}}) + "\n";
    return exported;
}

}  // namespace measure::tool
