// SPDX-License-Identifier: BSD-3-Clause
/// Figures of merit: one line per number.
#include "export/export.hpp"
#include "shared/summaries.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace measure::tool {

namespace {

using measure::Record;

/// A number of a record and its name.
struct Metric {
    std::string name;
    double value;
};

std::vector<Metric> metrics(Record const& record) {
    std::vector<Metric> list{{std::string{measure::name(record.quantity)}, *record.value}};
    auto const e = measure::estimate_to_show(record);
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

/// A word of a name in which "/", "," and "=" are separators.
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

}  // namespace

Exported export_fom(std::span<Series const> series) {
    Exported exported;
    for (auto const& one : series) {
        for (auto const& record : one.points) {
            if (auto const reason = why_without_number(record)) {
                ++exported.left_out[*reason];
                continue;
            }
            ++exported.carried;
            for (auto const& metric : metrics(record))
                exported.text += fom_line(record.benchmark, fom_keys(one, series.size(), record.at), metric.name,
                                          metric.value, measure::unit(record.quantity));
        }
        // Summaries of several launches are not joined.
        if (one.launches.size() == 1)
            for (auto const& summary : one.launches.front()->record.summaries)
                if (summary.value && std::isfinite(*summary.value))
                    exported.text += fom_line(summary.name, fom_keys(one, series.size(), place_of_summary(summary)),
                                              "summary", *summary.value, summary.unit);
    }
    return exported;
}

}  // namespace measure::tool
