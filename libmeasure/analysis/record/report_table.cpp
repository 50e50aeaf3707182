// SPDX-License-Identifier: BSD-3-Clause
#include "core/number_text.hpp"
#include "measure/not_known.hpp"
#include "measure/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace measure {

std::string samples_text(Record const& record, std::string_view between) {
    return record.has_flag(samples_unknown) ? std::string{"-"}
                                            : fmt::format("{}{}{}", record.valid, between, record.attempts);
}

namespace {

/// A unit of the table; values are divided by `size`.
struct Scale {
    double size;
    std::string_view unit;
};

constexpr std::array time_scales{Scale{1, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "us"}, Scale{1e-9, "ns"}};
constexpr std::array bandwidth_scales{Scale{1e12, "TB/s"}, Scale{1e9, "GB/s"}, Scale{1e6, "MB/s"}, Scale{1e3, "kB/s"},
                                      Scale{1, "B/s"}};
constexpr std::array rate_scales{Scale{1e9, "G/s"}, Scale{1e6, "M/s"}, Scale{1e3, "k/s"}, Scale{1, "1/s"}};
constexpr std::array flops_scales{Scale{1e12, "Tflop/s"}, Scale{1e9, "Gflop/s"}, Scale{1e6, "Mflop/s"},
                                  Scale{1e3, "kflop/s"}, Scale{1, "flop/s"}};
constexpr std::array memory_scales{Scale{static_cast<double>(gibi), "GiB"}, Scale{static_cast<double>(mebi), "MiB"},
                                   Scale{static_cast<double>(kibi), "KiB"}, Scale{1, "B"}};
constexpr std::array plain_scales{Scale{1, ""}};

/// Units in descending order of size.
std::span<Scale const> scales(Quantity quantity) {
    switch (quantity) {
    case Quantity::time:
        return time_scales;
    case Quantity::bandwidth:
        return bandwidth_scales;
    case Quantity::rate:
        return rate_scales;
    case Quantity::flops:
        return flops_scales;
    case Quantity::memory:
        return memory_scales;
    case Quantity::ratio:
    case Quantity::count:
        break;
    }
    return plain_scales;
}

Scale fitting(std::span<Scale const> candidates, double value) {
    auto const found =
        std::find_if(candidates.begin(), candidates.end(), [&](Scale const& s) { return std::abs(value) >= s.size; });
    return found == candidates.end() ? candidates.back() : *found;
}

std::string joined(std::vector<std::string> const& words, char const* separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

/// Text such as "converged (interval): a message [flag, flag]".
std::string status(Record const& record) {
    std::string text{name(record.status)};
    if (!record.stop_reason.empty() && record.stop_reason != text)
        text += " (" + record.stop_reason + ")";
    if (!record.message.empty())
        text += ": " + record.message;
    if (!record.flags.empty())
        text += " [" + joined(record.flags, ", ") + "]";
    return text;
}

constexpr int benchmark_width = 20;
constexpr int coordinate_width = 10;

std::string value_text(Record const& record, std::optional<double> const& number) {
    return record.value && number ? UnitText{record.quantity, *record.value}.text(*number) : "";
}

std::string interval_text(Record const& record) {
    auto const interval = record.estimate ? interval_to_show(*record.estimate) : std::optional<Interval>{};
    return interval && record.value
               ? value_text(record, interval->first) + " .. " + value_text(record, interval->second)
               : "";
}

Column coordinate(std::string const& name, int width) {
    return {.heading = name,
            .cell =
                [name](Record const& record) {
                    auto const* const value = record.at.find(name);
                    return value != nullptr ? coordinate_text(*value) : std::string{};
                },
            .width = width};
}

/// Columns of the printed table, next to the coordinates.
std::vector<Column> columns_for_people(std::vector<std::string> const& coordinates) {
    std::vector<Column> columns{
        {.heading = "benchmark", .cell = [](Record const& r) { return r.benchmark; }, .width = -benchmark_width}};
    for (auto const& name : coordinates)
        columns.push_back(coordinate(name, std::max(static_cast<int>(name.size()), coordinate_width)));
    auto const unit = [](Record const& r) {
        return r.value ? std::string{UnitText{r.quantity, *r.value}.unit()} : std::string{};
    };
    auto const error = [](Record const& r) {
        bool const is_known = r.value && r.estimate && r.estimate->standard_error;
        return is_known ? UnitText{r.quantity, *r.value}.error_text(*r.estimate->standard_error) : std::string{};
    };
    columns.insert(
        columns.end(),
        {{.heading = "value", .cell = [](Record const& r) { return value_text(r, r.value); }, .width = 9},
         // A value without a unit shows a blank there, not a dash.
         {.heading = " ", .cell = [unit](Record const& r) { return unit(r).empty() ? " " : unit(r); }, .width = -7},
         {.heading = "+-", .cell = error, .width = 8},
         {.heading = "interval", .cell = interval_text, .width = 21},
         {.heading = "valid", .cell = [](Record const& r) { return samples_text(r); }, .width = 11},
         {.heading = "verdict", .cell = status, .width = 0, .gap = 2}});
    return columns;
}

}  // namespace

UnitText::UnitText(Quantity quantity, double value) {
    auto const scale = fitting(scales(quantity), value);
    size_ = scale.size;
    unit_ = scale.unit;
    double const scaled = std::abs(value) / size_;
    digits_ = scaled < 10 ? 3 : scaled < 100 ? 2 : 1;
}

std::string UnitText::text(double value) const {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value / size_, digits_) : "-";
}

std::string UnitText::error_text(double error) const {
    return std::isfinite(error)
               ? fmt::format("{:.{}f}", error / size_, detail::digits_for_error(error / size_, digits_))
               : "-";
}

void TableSink::write(Record const& record) {
    if (auto names = record.at.names(); names != coordinates_ || columns_.empty()) {
        columns_ = columns_for_people(names);
        *out_ << (std::exchange(has_heading_, true) ? table_foot(form_) + "\n" : "") << table_head(columns_, form_);
        coordinates_ = std::move(names);
    }
    *out_ << table_row(columns_, form_, record);
}

namespace {

std::string csv_number(std::optional<double> const& value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

/// Coordinates without their own column: "bytes=8 root=0".
std::string other_coordinates(Point const& at, std::vector<std::string> const& columns) {
    Point others;
    for (auto const& [name, value] : at.coordinates())
        if (std::find(columns.begin(), columns.end(), name) == columns.end())
            others.set(name, value);
    return others.text();
}

/// A column with a number of the estimate.
Column of_estimate(std::string heading, std::optional<double> (*number)(Estimate const&)) {
    return {std::move(heading),
            [number](Record const& r) { return r.estimate ? csv_number(number(*r.estimate)) : std::string{}; }};
}

Column count(std::string heading, std::int64_t Record::*member) {
    return {std::move(heading), [member](Record const& r) {
                return r.has_flag(samples_unknown) ? std::string{} : fmt::format("{}", r.*member);
            }};
}

std::vector<Column> columns_for_programs(std::vector<std::string> const& coordinates) {
    std::vector<Column> columns{{"benchmark", [](Record const& r) { return r.benchmark; }}};
    for (auto const& name : coordinates)
        columns.push_back(coordinate(name, 0));
    columns.insert(
        columns.end(),
        {{"other", [coordinates](Record const& r) { return other_coordinates(r.at, coordinates); }},
         {"quantity", [](Record const& r) { return std::string{name(r.quantity)}; }},
         {"unit", [](Record const& r) { return std::string{unit(r.quantity)}; }},
         {"value", [](Record const& r) { return csv_number(r.value); }},
         of_estimate("standard_error", [](Estimate const& e) { return e.standard_error; }),
         of_estimate("interval_low",
                     [](Estimate const& e) { return e.interval ? std::optional{e.interval->first} : std::nullopt; }),
         of_estimate("interval_high",
                     [](Estimate const& e) { return e.interval ? std::optional{e.interval->second} : std::nullopt; }),
         of_estimate("median", [](Estimate const& e) { return std::optional{e.median}; }),
         of_estimate("min", [](Estimate const& e) { return std::optional{e.min}; }),
         of_estimate("max", [](Estimate const& e) { return std::optional{e.max}; }),
         count("attempts", &Record::attempts),
         count("valid", &Record::valid),
         count("kept", &Record::kept),
         {"verdict", [](Record const& r) { return std::string{name(r.status)}; }},
         {"reason", [](Record const& r) { return r.message; }},
         {"flags", [](Record const& r) { return joined(r.flags, " "); }},
         {"elapsed", [](Record const& r) { return csv_number(r.elapsed.count()); }}});
    return columns;
}

}  // namespace

void CsvSink::write(Record const& record) {
    if (columns_.empty()) {
        auto names = record.at.names();
        for (auto const& name : coordinates_)
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
        columns_ = columns_for_programs(names);
        *out_ << table_head(columns_, form_);
    }
    *out_ << table_row(columns_, form_, record);
}

}  // namespace measure
