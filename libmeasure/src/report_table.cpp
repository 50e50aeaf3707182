// SPDX-License-Identifier: BSD-3-Clause
#include "measure/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <span>

namespace measure {

namespace {

/// A unit of the table: the record's number is divided by `size`.
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

/// Largest first.
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

std::vector<std::string> coordinate_names(Point const& at) {
    std::vector<std::string> names;
    for (auto const& coordinate : at.coordinates())
        names.push_back(coordinate.first);
    return names;
}

std::string joined(std::vector<std::string> const& words, char const* separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::string member_text(Value const& object, std::string_view key) {
    Value const* const member = object.find(key);
    auto const* const text = member == nullptr ? nullptr : std::get_if<std::string>(&member->data());
    return text == nullptr ? "" : *text;
}

/// "converged (interval): a reason [flag, flag]"
std::string status(Record const& record) {
    std::string text{name(record.outcome)};
    if (auto const stop = member_text(record.derived, "stop"); !stop.empty() && stop != text)
        text += " (" + stop + ")";
    if (!record.reason.empty())
        text += ": " + record.reason;
    if (!record.flags.empty())
        text += " [" + joined(record.flags, ", ") + "]";
    return text;
}

constexpr std::size_t benchmark_width = 20;
constexpr std::size_t coordinate_width = 10;

std::size_t width_of(std::string const& coordinate) { return std::max(coordinate.size(), coordinate_width); }

/// What stands right of the coordinates, in the heading and in every row.
struct Columns {
    std::string value = "-";
    std::string_view unit{};
    std::string error = "-";
    std::string interval = "-";
    std::string valid{};
    std::string status{};

    [[nodiscard]] std::string text() const {
        return fmt::format(" {:>9} {:<7} {:>8} {:>21} {:>11}  {}\n", value, unit, error, interval, valid, status);
    }
};

Columns columns_of(Record const& record) {
    Columns columns{.valid = fmt::format("{}/{}", record.valid, record.attempts), .status = status(record)};
    if (!record.value)
        return columns;
    UnitText const numbers{record.quantity, *record.value};
    columns.value = numbers.text(*record.value);
    columns.unit = numbers.unit();
    if (record.estimate && record.estimate->standard_error)
        columns.error = numbers.text(*record.estimate->standard_error);
    if (record.estimate && record.estimate->interval)
        columns.interval = fmt::format("{} .. {}", numbers.text(record.estimate->interval->first),
                                       numbers.text(record.estimate->interval->second));
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

void TableSink::write(Record const& record) {
    if (auto names = coordinate_names(record.at); names != columns_ || !has_heading_) {
        *out_ << fmt::format("{}{:<{}}", has_heading_ ? "\n" : "", "benchmark", benchmark_width);
        for (auto const& name : names)
            *out_ << fmt::format(" {:>{}}", name, width_of(name));
        *out_ << Columns{.value = "value", .error = "+-", .interval = "interval", .valid = "valid", .status = "verdict"}
                     .text();
        columns_ = std::move(names);
        has_heading_ = true;
    }

    *out_ << fmt::format("{:<{}}", record.benchmark, benchmark_width);
    for (auto const& [name, value] : record.at.coordinates())
        *out_ << fmt::format(" {:>{}}", coordinate_text(value), width_of(name));
    *out_ << columns_of(record).text();
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string{text};
    std::string field = "\"";
    for (char const c : text)
        field.append(c == '"' ? 2 : 1, c);
    return field + '"';
}

namespace {

std::string csv_number(std::optional<double> const& value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

void write_line(std::ostream& out, std::vector<std::string> fields) {
    for (auto& field : fields)
        field = csv_field(field);
    out << joined(fields, ",") << '\n';
}

/// Coordinates that have no column of their own, "bytes=8 root=0".
std::string other_coordinates(Point const& at, std::vector<std::string> const& columns) {
    Point others;
    for (auto const& [name, value] : at.coordinates())
        if (std::find(columns.begin(), columns.end(), name) == columns.end())
            others.set(name, value);
    return others.text();
}

std::vector<std::string> csv_coordinates(Point const& at, std::vector<std::string> const& columns) {
    std::vector<std::string> fields(columns.size());
    for (auto const& [name, value] : at.coordinates())
        if (auto const found = std::find(columns.begin(), columns.end(), name); found != columns.end())
            fields[static_cast<std::size_t>(found - columns.begin())] = coordinate_text(value);
    return fields;
}

std::vector<std::string> csv_estimate(std::optional<Estimate> const& estimate) {
    if (!estimate)
        return std::vector<std::string>(6);
    auto const low = estimate->interval ? std::optional{estimate->interval->first} : std::nullopt;
    auto const high = estimate->interval ? std::optional{estimate->interval->second} : std::nullopt;
    return {csv_number(estimate->standard_error), csv_number(low),           csv_number(high),
            csv_number(estimate->median),         csv_number(estimate->min), csv_number(estimate->max)};
}

void append(std::vector<std::string>& fields, std::vector<std::string> const& more) {
    fields.insert(fields.end(), more.begin(), more.end());
}

}  // namespace

void CsvSink::write(Record const& record) {
    if (!has_heading_) {
        coordinates_ = coordinate_names(record.at);
        std::vector<std::string> heads{"benchmark"};
        append(heads, coordinates_);
        append(heads, {"other", "quantity", "unit", "value", "standard_error", "interval_low", "interval_high",
                       "median", "min", "max", "attempts", "valid", "kept", "verdict", "reason", "flags", "elapsed"});
        write_line(*out_, heads);
        has_heading_ = true;
    }

    std::vector<std::string> fields{record.benchmark};
    append(fields, csv_coordinates(record.at, coordinates_));
    append(fields, {other_coordinates(record.at, coordinates_), std::string{name(record.quantity)},
                    std::string{unit(record.quantity)}, csv_number(record.value)});
    append(fields, csv_estimate(record.estimate));
    append(fields, {fmt::format("{}", record.attempts), fmt::format("{}", record.valid), fmt::format("{}", record.kept),
                    std::string{name(record.outcome)}, record.reason, joined(record.flags, " "),
                    csv_number(record.elapsed.count())});
    write_line(*out_, fields);
}

}  // namespace measure
