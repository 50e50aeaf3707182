// SPDX-License-Identifier: BSD-3-Clause
#include "export/export.hpp"

#include "analysis/runs/points.hpp"

#include <measure/launches.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

namespace measure::tool {

namespace {

using measure::Quantity;
using measure::Record;
using measure::Value;

/// The reason why a record has no row in a table over sizes; nullopt if it has one.
std::optional<std::string> why_no_row(Series const& series, Record const& record,
                                      std::optional<Semantics> const& meaning) {
    if (auto reason = why_without_number(record))
        return reason;
    if (!series.run().mpi_library)
        return "not of a program with MPI";
    auto const bytes = integer_at(record.at, "bytes");
    auto const ranks = integer_at(record.at, "ranks");
    bool const is_barrier = meaning && meaning->kind == OperationKind::barrier;
    if (!is_barrier && (!bytes || *bytes < 0))
        return "without a size";
    if (!ranks || *ranks < 1)
        return "without a number of ranks";
    bool const is_known = record.quantity == Quantity::time || record.quantity == Quantity::bandwidth ||
                          (record.quantity == Quantity::rate && meaning.has_value());
    return is_known ? std::nullopt : std::optional<std::string>{"neither a time nor a bandwidth"};
}

}  // namespace

std::optional<std::string> why_without_number(Record const& record) {
    if (record.value && std::isfinite(*record.value))
        return std::nullopt;
    return fmt::format("without a value ({})", measure::name(record.status));
}

std::vector<double> repetitions(Record const& record) {
    std::vector<double> values;
    if (measure::is_merged(record)) {
        for (auto const& value : launch_values(record))
            if (value && std::isfinite(*value))
                values.push_back(*value);
    } else if (auto const samples = samples_of(record); samples.size() > 1) {
        // Samples are times of one iteration. The value may be a fraction or a multiple of that.
        auto const own = measure::estimate_of_value(record);
        double const middle = own ? own->median : *record.value;
        double const scale = middle / measure::median(samples);
        for (double const sample : samples)
            values.push_back(sample * scale);
    }
    return values.empty() || !std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })
               ? std::vector{*record.value}
               : values;
}

std::string one_line(std::string_view text, bool no_blanks) {
    std::string result{text};
    for (char& c : result)
        if (static_cast<unsigned char>(c) < ' ' || c == 127)
            c = '?';
        else if (c == ' ' && no_blanks)
            c = '_';
    return result;
}

std::string slashed_name(Series const& series, std::size_t all, Record const& record) {
    std::string name = all > 1 ? one_line(series.label, true) + "/" : std::string{};
    name += one_line(record.benchmark, true);
    for (auto const& [key, value] : record.at.coordinates())
        name += fmt::format("/{}:{}", one_line(key, true), one_line(measure::coordinate_text(value), true));
    return name;
}

std::string coordinates_text(measure::Point const& at, std::span<std::string_view const> left_out) {
    std::vector<std::string> parts;
    for (auto const& [key, value] : at.coordinates())
        if (std::find(left_out.begin(), left_out.end(), key) == left_out.end())
            parts.push_back(one_line(fmt::format("{}={}", key, measure::coordinate_text(value)), true));
    return fmt::format("{}", fmt::join(parts, ","));
}

std::optional<double> derived_number(Record const& record, std::initializer_list<std::string_view> path) {
    auto const number = record.derived.number(path);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

double in_microseconds(TableBlock const& block, Record const& record, double value) {
    if (!block.meaning)
        return value * 1e6;
    return time_of(*block.meaning, record.quantity, value, integer_at(record.at, "bytes")).value_or(0) * 1e6;
}

double bytes_per_second(TableBlock const& block, measure::Bytes size, Record const& record) {
    if (record.quantity == Quantity::bandwidth)
        return *record.value;
    double const us = in_microseconds(block, record, *record.value);
    auto const pairs = std::max<std::int64_t>(integer_at(record.at, "ranks").value_or(1) / 2, 1);
    double const messages = static_cast<double>(pairs) * (block.meaning ? std::max(block.meaning->messages, 1.0) : 1);
    return us > 0 ? messages * static_cast<double>(size) / us * 1e6 : 0;
}

std::vector<TableBlock> blocks_of(std::span<Series const> series, Exported& exported) {
    std::vector<TableBlock> blocks;
    std::map<std::tuple<Series const*, std::string, Quantity, std::string>, std::size_t> places;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            auto const meaning = semantics_of(one.run().suite, record);
            if (auto const reason = why_no_row(one, record, meaning)) {
                ++exported.left_out[*reason];
                continue;
            }
            auto const [place, is_new] = places.try_emplace(
                {&one, record.benchmark, record.quantity, coordinates_text(record.at, size_coordinates)},
                blocks.size());
            if (is_new)
                blocks.push_back({.series = &one, .first = &record, .meaning = meaning});
            auto const bytes = integer_at(record.at, "bytes").value_or(0);
            auto const ranks = integer_at(record.at, "ranks").value_or(1);
            bool const is_barrier = meaning && meaning->kind == OperationKind::barrier;
            auto const size = is_barrier ? 0 : meaning ? block_size(*meaning, bytes, ranks) : bytes;
            blocks[place->second].rows.emplace(size, &record);
            ++exported.carried;
        }
    return blocks;
}

}  // namespace measure::tool
