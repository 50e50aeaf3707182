// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/table.hpp"

#include "program/cli/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace llcbench {

namespace {

constexpr std::size_t plain_columns = 2;

bool is_number(std::optional<double> const& number) { return number && std::isfinite(*number); }

/// A csv line: the additional column, then the others.
std::string csv_line(std::string const& first, std::vector<std::string> const& others) {
    std::string fields = measure::csv_field(first);
    for (auto const& other : others)
        fields.append(",").append(measure::csv_field(other));
    return fields;
}

}  // namespace

void Table::line(std::string const& text) { *out_ << text << '\n' << std::flush; }

void Table::declare(Columns const& columns) {
    for (auto const& column : columns)
        program::add_once(declared_, column.heading);
}

void Table::begin(Block block) {
    label_ = std::move(block.label);
    columns_ = std::move(block.columns);
    bool const first = std::exchange(first_, false);
    if (format_ == Format::csv) {
        auto const before = declared_.size();
        for (auto const& name : columns_)
            program::add_once(declared_, name);
        if (first)
            line(csv_line(label_.first, declared_));
        else if (declared_.size() != before)
            throw std::logic_error(fmt::format("column '{}' is not declared", declared_.back()));
        return;
    }
    if (!first)
        line("\n");
    if (format_ == Format::plain)
        return;
    line(fmt::format("# {} {}", block.program, text(block.title)));
    for (Fields const& fields : block.head)
        line(fmt::format("# {}", text(fields)));
    line(fmt::format("# columns: {}", fmt::join(columns_, " ")));
}

void Table::begin(Block block, Columns columns) {
    for (auto const& column : columns)
        block.columns.push_back(column.heading);
    cells_ = std::move(columns);
    begin(std::move(block));
}

void Table::row(measure::Record const& record, std::string_view note) {
    std::vector<std::string> cells;
    for (auto const& column : cells_)
        if (auto cell = column.cell(record); cell.empty())
            cells.emplace_back("-");
        else
            cells.push_back(std::move(cell));
    row(cells, note);
}

void Table::row(std::vector<std::string> const& cells, std::string_view note) {
    if (format_ == Format::csv) {
        std::vector<std::string> all;
        for (auto const& name : declared_) {
            auto const place = static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
            all.push_back(place < cells.size() && cells[place] != "-" ? cells[place] : std::string{});
        }
        line(csv_line(label_.second, all));
        return;
    }
    if (!note.empty() && format_ == Format::dat)
        line(fmt::format("# note: {}", note));
    auto const n = format_ == Format::plain ? std::min(plain_columns, cells.size()) : cells.size();
    line(fmt::format("{}", fmt::join(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(n), " ")));
}

void Table::remark(std::string_view text) {
    if (!text.empty() && format_ == Format::dat)
        line(fmt::format("# {}", text));
}

std::string text(Fields const& fields) {
    std::vector<std::string> parts;
    for (auto const& [key, value] : fields)
        parts.push_back(fmt::format("{}={}", key, value));
    return fmt::format("{}", fmt::join(parts, " "));
}

std::string fixed(std::optional<double> number, int decimals) {
    return is_number(number) ? fmt::format("{:.{}f}", *number, decimals) : "-";
}

std::string significant(std::optional<double> number, int digits) {
    if (!is_number(number))
        return "-";
    // Rounding can add a digit: 9.9999 is 10.00.
    double const magnitude = std::abs(*number) > 0 ? std::floor(std::log10(std::abs(*number))) : 0;
    double const scale = std::pow(10, digits - 1 - magnitude);
    bool const carries = std::round(std::abs(*number) * scale) >= std::pow(10, digits);
    return fmt::format("{:.{}f}", *number, std::max(0, digits - 1 - static_cast<int>(magnitude) - (carries ? 1 : 0)));
}

}  // namespace llcbench
