// SPDX-License-Identifier: BSD-3-Clause
#include "shared/merging.hpp"
#include "shared/plain_text.hpp"

#include <measure/launches.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace measure::tool {

namespace {

using measure::Record;

constexpr std::size_t benchmark_width = 20;
constexpr std::size_t coordinate_width = 10;

std::size_t width_of(std::string const& coordinate) { return std::max(coordinate.size(), coordinate_width); }

/// The cells to the right of the coordinates.
struct Cells {
    std::string launches = "-";
    std::string median = "-";
    std::string_view unit{};
    std::string error = "-";
    std::string interval = "-";
    std::string rse = "-";
    std::string spread = "-";
    std::string remarks{};

    [[nodiscard]] std::string text() const {
        auto line = fmt::format(" {:>8} {:>9} {:<7} {:>8} {:>21} {:>7} {:>7}  {}", launches, median, unit, error,
                                interval, rse, spread, remarks);
        line.erase(line.find_last_not_of(' ') + 1);
        return line + "\n";
    }
};

std::string remarks(Record const& record) {
    std::vector<std::string> parts;
    if (!record.value)
        parts.emplace_back(measure::name(record.status));
    if (!record.message.empty())
        parts.push_back(record.message);
    if (!record.flags.empty())
        parts.push_back(fmt::format("[{}]", fmt::join(record.flags, ", ")));
    return fmt::format("{}", fmt::join(parts, " "));
}

Cells cells(Record const& record) {
    Cells row{.launches = std::to_string(measure::launches_with_value(record)), .remarks = remarks(record)};
    auto const e = measure::estimate_to_show(record);
    if (!e)
        return row;
    measure::UnitText const unit{record.quantity, e->value};
    row.median = unit.text(e->value);
    row.unit = unit.unit();
    if (e->interval)
        row.interval = fmt::format("{} .. {}", unit.text(e->interval->first), unit.text(e->interval->second));
    if (e->standard_error) {
        row.error = unit.error_text(*e->standard_error);
        row.rse = fmt::format("{:.2f}%", *e->standard_error / std::abs(e->value) * 100);
    }
    if (auto const ratio = record.derived.number({"spread_ratio"}))
        row.spread = fmt::format("{:.1f}", *ratio);
    return row;
}

}  // namespace

std::string table(std::span<Record const> points) {
    std::string text;
    std::vector<std::string> columns;
    for (auto const& point : points) {
        if (auto names = point.at.names(); names != columns || text.empty()) {
            text += fmt::format("{}{:<{}}", text.empty() ? "" : "\n", "benchmark", benchmark_width);
            for (auto const& name : names)
                text += fmt::format(" {:>{}}", printable(name), width_of(name));
            text += Cells{"launches", "median", "", "+-", "interval", "RSE", "spread", ""}.text();
            columns = std::move(names);
        }
        text += fmt::format("{:<{}}", printable(point.benchmark), benchmark_width);
        for (auto const& [name, value] : point.at.coordinates())
            text += fmt::format(" {:>{}}", printable(measure::coordinate_text(value)), width_of(name));
        text += cells(point).text();
    }
    return text;
}

}  // namespace measure::tool
