// SPDX-License-Identifier: BSD-3-Clause
/// Formats with a line for each number: figures of merit, OpenMetrics.
#include "export.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace measure_tool {

namespace {

using measure::Quantity;
using measure::Record;

/// A number of a record and what it is called.
struct Metric {
    std::string name;
    double value;
};

std::vector<Metric> metrics(Record const& record) {
    std::vector<Metric> list{{std::string{measure::name(record.quantity)}, *record.value}};
    auto const e = measure::estimate_of_value(record);
    if (!e)
        return list;
    if (e->standard_error)
        list.push_back({"standard_error", *e->standard_error});
    for (auto const& [name, value] :
         {std::pair{"median", e->median}, std::pair{"min", e->min}, std::pair{"max", e->max}})
        list.push_back({name, value});
    std::erase_if(list, [](Metric const& metric) { return !std::isfinite(metric.value); });
    return list;
}

/// A word of a name that is put together with "/", "," and "=".
std::string word(std::string_view text) {
    auto result = one_line(text, true);
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c == '/' || c == ',' || c == '='; }, '_');
    return result.empty() ? "-" : result;
}

std::string fom_keys(Series const& series, std::size_t all, measure::Point const& at) {
    std::string keys = all > 1 ? "run=" + word(series.label) : std::string{};
    for (auto const& [key, value] : at.coordinates())
        keys += fmt::format("{}{}={}", keys.empty() ? "" : ",", word(key), word(measure::coordinate_text(value)));
    return keys.empty() ? "-" : keys;
}

std::string fom_line(std::string_view benchmark, std::string_view keys, std::string_view metric, double value,
                     std::string_view unit) {
    return fmt::format("FOM {}/{}/{} {:.6g} {}\n", word(benchmark), keys, word(metric), value, one_line(unit, true));
}

/// What may stand in the name of a label or metric.
std::string metric_word(std::string_view text) {
    std::string result{text};
    std::replace_if(
        result.begin(), result.end(),
        [](char c) {
            return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
        },
        '_');
    return result.empty() || (result.front() >= '0' && result.front() <= '9') ? "_" + result : result;
}

std::string label_value(std::string_view text) {
    std::string result;
    for (char const c : one_line(text)) {
        if (c == '\\' || c == '"')
            result += '\\';
        result += c;
    }
    return result;
}

/// OpenMetrics wants the unit at the end of the name.
std::string metric_name(Quantity quantity) {
    switch (quantity) {
    case Quantity::time:
        return "libmeasure_time_seconds";
    case Quantity::bandwidth:
        return "libmeasure_bandwidth_bytes_per_second";
    case Quantity::rate:
        return "libmeasure_rate_per_second";
    case Quantity::flops:
        return "libmeasure_flop_per_second";
    case Quantity::memory:
        return "libmeasure_memory_bytes";
    case Quantity::ratio:
        return "libmeasure_ratio";
    case Quantity::count:
        return "libmeasure_count";
    }
    return "libmeasure_value";
}

std::string metric_labels(Series const& series, std::size_t all, Record const& record) {
    std::map<std::string, std::string> labels;
    for (auto const& [key, value] : record.at.coordinates())
        labels[metric_word(key)] = measure::coordinate_text(value);
    labels["benchmark"] = record.benchmark;
    labels["program"] = series.run().program;
    if (all > 1)
        labels["run"] = series.label;
    std::string text;
    for (auto const& [name, value] : labels)
        text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, label_value(value));
    return text;
}

/// Whether the record has a number, counted.
bool is_carried(Record const& record, Exported& exported) {
    if (auto const reason = why_without_number(record)) {
        ++exported.left_out[*reason];
        return false;
    }
    ++exported.carried;
    return true;
}

}  // namespace

Exported export_fom(std::span<Series const> series) {
    Exported exported;
    for (auto const& one : series) {
        for (auto const& record : one.points)
            if (is_carried(record, exported))
                for (auto const& metric : metrics(record))
                    exported.text += fom_line(record.benchmark, fom_keys(one, series.size(), record.at), metric.name,
                                              metric.value, measure::unit(record.quantity));
        // Summaries of several starts are not joined.
        if (one.launches.size() == 1)
            for (auto const& summary : one.launches.front()->record.summaries)
                if (summary.value && std::isfinite(*summary.value))
                    exported.text += fom_line(summary.name, fom_keys(one, series.size(), {}), "summary", *summary.value,
                                              summary.unit);
    }
    return exported;
}

Exported export_openmetrics(std::span<Series const> series) {
    Exported exported;
    std::map<std::string, std::string> families;
    for (auto const& one : series)
        for (auto const& record : one.points)
            if (is_carried(record, exported)) {
                auto const name = metric_name(record.quantity);
                families[name] +=
                    fmt::format("{}{{{}}} {:.9g}\n", name, metric_labels(one, series.size(), record), *record.value);
            }
    for (auto const& [name, lines] : families)
        exported.text += fmt::format("# TYPE {} gauge\n{}", name, lines);
    exported.text += "# EOF\n";
    return exported;
}

}  // namespace measure_tool
