// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/guidelines/operations.hpp"

#include "analysis/runs/launch.hpp"
#include "analysis/runs/points.hpp"
#include "analysis/runs/unknown.hpp"

#include <measure/launches.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace measure {

namespace {

/// Coordinates that do not separate sets: they are varied, or follow from a varied one.
constexpr std::array<std::string_view, 4> varied_coordinates{"ranks", "bytes", "count", "repetition"};

/// Options that describe how a suite measures. Options for what it measures may differ between runs.
constexpr std::array<std::string_view, 8> method_options{"start",    "root",    "datatype", "cold",
                                                         "topology", "time_of", "flush",    "mode"};

/// Text of an option; empty for the usual values null, false and 0.
std::string method_text(Environment const& run, std::string_view name) {
    auto const* const option = run.options.find(name);
    if (option == nullptr)
        return {};
    if (auto const* const text = std::get_if<std::string>(&option->data()))
        return *text;
    auto const json = json_text(*option);
    return json == "null" || json == "false" || json == "0" ? std::string{} : json;
}

/// MPI settings that differ between launches, and whether some launches recorded no settings.
struct DifferingSettings {
    std::set<std::string> names{};
    bool some_silent = false;
};

std::map<std::string, std::string> settings_of(Launch const& launch) {
    std::map<std::string, std::string> settings;
    if (launch.record.run.mpi_settings)
        for (auto const& [name, value] : *launch.record.run.mpi_settings)
            settings[name] = value;
    return settings;
}

DifferingSettings differing_settings(std::span<Launch const> launches) {
    DifferingSettings result;
    std::optional<std::map<std::string, std::string>> first;
    std::size_t silent = 0;
    for (auto const& launch : launches) {
        if (!launch.record.run.mpi_settings) {
            ++silent;
            continue;
        }
        auto const settings = settings_of(launch);
        if (!first)
            first = settings;
        auto all = settings;
        all.insert(first->begin(), first->end());
        for (auto const& [name, value] : all)
            if (!first->contains(name) || !settings.contains(name) || first->at(name) != settings.at(name))
                result.names.insert(name);
    }
    result.some_silent = silent > 0 && silent < launches.size();
    return result;
}

std::string set_label(Launch const& launch, Record const& record, DifferingSettings const& differing) {
    auto const& run = launch.record.run;
    std::vector<std::string> parts{program_of(run)};
    if (run.mpi_library)
        parts.push_back(library_text(run));
    if (!run.hosts.empty())
        parts.push_back(fmt::format("on {}", fmt::join(host_names(run), " ")));
    for (auto const name : method_options)
        if (auto const text = method_text(run, name); !text.empty())
            parts.push_back(fmt::format("{}={}", name, text));
    for (auto const& [name, value] : record.at.coordinates())
        if (std::find(varied_coordinates.begin(), varied_coordinates.end(), name) == varied_coordinates.end())
            parts.push_back(fmt::format("{}={}", name, coordinate_text(value)));
    if (auto const settings = settings_of(launch); launch.record.run.mpi_settings)
        for (auto const& name : differing.names)
            parts.push_back(settings.contains(name) ? fmt::format("{}={}", name, settings.at(name)) : name + " unset");
    else if (differing.some_silent)
        parts.emplace_back("MPI settings not recorded");
    // SKaMPI encodes a synchronised start in the benchmark name.
    if (run.suite == "skampi" && record.benchmark.find("-SM") != std::string::npos)
        parts.emplace_back("window");
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Relative standard error of a record, with its degrees of freedom. An interval of the median is converted as for a
/// normal distribution.
struct OwnError {
    double relative = 0;
    double degrees = 1;
};

std::optional<OwnError> own_error(Record const& record) {
    auto const e = estimate_of_value(record);
    if (!e || is_merged(record))
        return std::nullopt;
    std::optional<double> relative;
    if (e->standard_error)
        relative = *e->standard_error / *record.value;
    else if (e->median_interval && e->confidence > 0 && e->confidence < 1)
        relative = (e->median_interval->second - e->median_interval->first) /
                   (2 * student_quantile(e->confidence, 1e6) * e->median);
    // Identical samples indicate a coarse clock, not an error of zero.
    if (!relative || !std::isfinite(*relative) || !(*relative > 0))
        return std::nullopt;
    return OwnError{*relative, std::max(1.0, static_cast<double>(record.kept) - 1)};
}

/// Collects all values of each launch, then combines the values of one launch into one.
class Collector {
public:
    explicit Collector(DifferingSettings differing) : differing_{std::move(differing)} {}

    void add(std::size_t number, Launch const& launch, Record const& record) {
        if (is_control_of(launch.record.run, record))
            return;
        auto const meaning = semantics_of(launch.record.run.suite, record);
        // Barrier has no size and no guideline, so it must not be counted as unknown.
        if (meaning && meaning->kind == OperationKind::barrier)
            return;
        auto const ranks = integer_at(record.at, "ranks");
        auto const bytes = integer_at(record.at, "bytes");
        if (!meaning || !ranks || *ranks < 1 || !bytes || *bytes < 0) {
            ++result_.unknown;
            return;
        }
        std::size_t const set = set_of(launch, record);
        auto const& operation = meaning->operation;
        result_.sets[set].benchmarks.try_emplace(operation, KnownBenchmark{record.benchmark, *meaning});
        auto const size = whole_size(*meaning, *bytes, *ranks);
        auto& point = result_.sets[set].curves[*ranks][operation][size];
        point.bytes = *bytes;
        point.block = block_size(*meaning, *bytes, *ranks);
        auto const values = launch_values(record);
        bool has_value = false;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (auto const time =
                    values[i] ? time_of(*meaning, record.quantity, *values[i], bytes) : std::optional<double>{}) {
                values_[{set, *ranks, operation, size}][{number, i}].push_back(*time);
                has_value = true;
            }
        if (!has_value)
            ++result_.without_value;
        if (auto const error = own_error(record); error && has_value) {
            point.relative_error = error->relative;
            point.degrees = error->degrees;
        }
    }

    OperationPoints take() {
        for (auto const& [place, values] : values_) {
            auto const& [number, ranks, operation, size] = place;
            auto& set = result_.sets[number];
            auto& point = set.curves[ranks][operation][size];
            for (auto const& [launch, times] : values)
                point.times[launch] = median(times);
            set.launches = std::max(set.launches, point.times.size());
        }
        for (auto& set : result_.sets)
            drop_empty(set);
        std::erase_if(result_.sets, [](OperationSet const& set) { return set.curves.empty(); });
        return std::move(result_);
    }

private:
    std::size_t set_of(Launch const& launch, Record const& record) {
        auto label = set_label(launch, record, differing_);
        auto const found = std::find_if(result_.sets.begin(), result_.sets.end(), [&](OperationSet const& set) {
            return set.label == label && set.suite == launch.record.run.suite;
        });
        auto const place = static_cast<std::size_t>(found - result_.sets.begin());
        if (found == result_.sets.end()) {
            auto const& run = launch.record.run;
            result_.sets.push_back({.suite = run.suite,
                                    .program = program_of(run),
                                    .label = std::move(label),
                                    .start = run.options.text("start")});
        }
        return place;
    }

    static void drop_empty(OperationSet& set) {
        for (auto& [ranks, operations] : set.curves) {
            for (auto& [operation, curve] : operations)
                std::erase_if(curve, [](auto const& entry) { return entry.second.times.empty(); });
            std::erase_if(operations, [](auto const& entry) { return entry.second.empty(); });
        }
        std::erase_if(set.curves, [](auto const& entry) { return entry.second.empty(); });
    }

    DifferingSettings differing_;
    OperationPoints result_;
    /// Set, number of processes, operation and size.
    using Place = std::tuple<std::size_t, std::int64_t, std::string, Bytes>;
    std::map<Place, std::map<LaunchNumber, std::vector<double>>> values_;
};

}  // namespace

OperationPoints operation_points(std::span<Launch const> launches) {
    Collector collector{differing_settings(launches)};
    for (std::size_t i = 0; i < launches.size(); ++i)
        for (Record const& record : launches[i].record.points)
            collector.add(i, launches[i], record);
    return collector.take();
}

}  // namespace measure
