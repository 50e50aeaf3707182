// SPDX-License-Identifier: BSD-3-Clause
#include "archive/table.hpp"

#include "analysis/runs/unknown.hpp"
#include "page/columns.hpp"
#include "program/cli/values.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Quantity;

bool is_empty(Cell const& cell) {
    auto const* const text = std::get_if<std::string>(&cell);
    return std::holds_alternative<std::nullptr_t>(cell) || (text != nullptr && text->empty());
}

std::optional<Quantity> quantity_of(PointEntry const& point) {
    for (auto const q : {Quantity::time, Quantity::bandwidth, Quantity::rate, Quantity::flops, Quantity::memory,
                         Quantity::ratio, Quantity::count})
        if (point.quantity == measure::name(q) && point.unit == measure::unit(q))
            return q;
    return std::nullopt;
}

/// The interval in the unit of the value; empty if it is unknown.
std::string interval_text(PointEntry const& point) {
    auto const* const value = std::get_if<double>(&point.value);
    auto const* const low = std::get_if<double>(&point.low);
    auto const* const high = std::get_if<double>(&point.high);
    auto const quantity = quantity_of(point);
    if (value == nullptr || low == nullptr || high == nullptr || !quantity)
        return {};
    measure::UnitText const unit{*quantity, *value};
    return fmt::format("{} .. {}", unit.text(*low), unit.text(*high));
}

std::vector<std::string> coordinate_names(std::span<PointEntry const> points) {
    std::vector<std::string> names;
    for (auto const& point : points)
        for (auto const& coordinate : point.at)
            program::add_once(names, coordinate.first);
    return names;
}

template <class Row>
using CellColumns = page::Columns<Row, Cell>;

/// Adds a column for each coordinate that occurs.
void add_coordinates(CellColumns<PointEntry>& columns, std::span<PointEntry const> points, std::string const& prefix) {
    for (auto const& name : coordinate_names(points))
        columns.push_back({prefix + name, [name](PointEntry const& point) {
                               auto const found = std::find_if(point.at.begin(), point.at.end(),
                                                               [&](auto const& c) { return c.first == name; });
                               return found == point.at.end() ? Cell{} : found->second;
                           }});
}

Cell tags_cell(RunEntry const& run) { return fmt::format("{}", fmt::join(run.tags, ",")); }

}  // namespace

std::string cell_text(Cell const& cell) {
    return std::visit(
        [](auto const& v) -> std::string {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, std::nullptr_t>)
                return {};
            else
                return fmt::format("{}", v);
        },
        cell);
}

std::string table_text(Table const& table) {
    page::Table shown{.rows = std::vector<std::vector<page::Cell>>(table.rows.size())};
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (!table.rows.empty() &&
            std::all_of(table.rows.begin(), table.rows.end(), [&](auto const& row) { return is_empty(row[i]); }))
            continue;
        shown.columns.push_back(table.columns[i]);
        for (std::size_t line = 0; line < table.rows.size(); ++line)
            shown.rows[line].emplace_back(cell_text(table.rows[line][i]));
    }
    return plain_rows(shown);
}

std::string csv_text(Table const& table) {
    auto const add = [](std::string& text, auto const& cells, auto const& convert) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            text.append(i == 0 ? "" : ",").append(measure::csv_field(convert(cells[i])));
        text += '\n';
    };
    std::string text;
    add(text, table.columns, [](std::string const& name) { return name; });
    for (auto const& row : table.rows)
        add(text, row, cell_text);
    return text;
}

std::vector<JsonRow> json_rows(Table const& table) {
    std::vector<JsonRow> rows;
    for (auto const& cells : table.rows) {
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < cells.size(); ++i)
            row.emplace_back(table.columns[i], cells[i]);
    }
    return rows;
}

Table short_table(std::span<RunEntry const> runs) {
    return page::table_of<RunEntry, Cell>(Table{}, runs,
                                          {{"run", &RunEntry::id},
                                           {"started", [](RunEntry const& run) { return or_unknown(run.started); }},
                                           {"program", &RunEntry::program},
                                           {"ranks", &RunEntry::ranks},
                                           {"points", &RunEntry::points},
                                           {"status", &RunEntry::status},
                                           {"machine", &RunEntry::machine},
                                           {"mpi", &RunEntry::mpi},
                                           {"label", &RunEntry::label},
                                           {"tags", tags_cell}});
}

Table full_table(std::span<RunEntry const> runs) {
    return page::table_of<RunEntry, Cell>(Table{}, runs,
                                          {{"run", &RunEntry::hash},
                                           {"suite", &RunEntry::suite},
                                           {"program", &RunEntry::program},
                                           {"started", &RunEntry::started},
                                           {"mpi", &RunEntry::mpi},
                                           {"machine", &RunEntry::machine},
                                           {"kernel", &RunEntry::kernel},
                                           {"ranks", &RunEntry::ranks},
                                           {"points", &RunEntry::points},
                                           {"status", &RunEntry::status},
                                           {"label", &RunEntry::label},
                                           {"note", &RunEntry::note},
                                           {"tags", tags_cell}});
}

Table short_table(std::span<PointEntry const> points) {
    CellColumns<PointEntry> columns{{"run", [](PointEntry const& point) { return point.run.substr(0, 10); }},
                                    {"label", &PointEntry::label},
                                    {"machine", &PointEntry::machine},
                                    {"mpi", &PointEntry::mpi},
                                    {"benchmark", &PointEntry::benchmark}};
    add_coordinates(columns, points, "");
    columns.insert(columns.end(), {{"value", value_text},
                                   {"interval", interval_text},
                                   {"verdict", &PointEntry::verdict},
                                   {"flags", &PointEntry::flags}});
    return page::table_of(Table{}, points, columns);
}

Table full_table(std::span<PointEntry const> points) {
    CellColumns<PointEntry> columns{{"run", &PointEntry::run},
                                    {"label", &PointEntry::label},
                                    {"started", &PointEntry::started},
                                    {"machine", &PointEntry::machine},
                                    {"mpi", &PointEntry::mpi},
                                    {"suite", &PointEntry::suite},
                                    {"benchmark", &PointEntry::benchmark}};
    add_coordinates(columns, points, "at.");
    columns.insert(columns.end(), {{"quantity", &PointEntry::quantity},
                                   {"unit", &PointEntry::unit},
                                   {"value", &PointEntry::value},
                                   {"interval_low", &PointEntry::low},
                                   {"interval_high", &PointEntry::high},
                                   {"verdict", &PointEntry::verdict},
                                   {"flags", &PointEntry::flags}});
    return page::table_of(Table{}, points, columns);
}

std::string value_text(PointEntry const& point) {
    auto const* const value = std::get_if<double>(&point.value);
    auto const quantity = quantity_of(point);
    if (value == nullptr || !quantity)
        return value == nullptr ? "-" : fmt::format("{}", *value);
    measure::UnitText const unit{*quantity, *value};
    return fmt::format("{} {}", unit.text(*value), unit.unit());
}

}  // namespace measure::tool::archive
