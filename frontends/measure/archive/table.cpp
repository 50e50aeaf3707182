// SPDX-License-Identifier: BSD-3-Clause
#include "archive/table.hpp"

#include "analysis/runs/unknown.hpp"
#include "program/cli/values.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::Quantity;
using measure::Value;

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

/// In the unit of the value, or nothing.
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

Cell coordinate(PointEntry const& point, std::string const& name) {
    auto const found = std::find_if(point.at.begin(), point.at.end(), [&](auto const& c) { return c.first == name; });
    return found == point.at.end() ? Cell{} : found->second;
}

Value::Array words(std::string const& text) {
    Value::Array result;
    for (auto const& word : program::split(text, ' '))
        if (!word.empty())
            result.emplace_back(word);
    return result;
}

Value json_value(Cell const& cell) {
    return std::visit([](auto const& v) { return Value{v}; }, cell);
}

Value interval_value(PointEntry const& point) {
    if (std::holds_alternative<std::nullptr_t>(point.low) || std::holds_alternative<std::nullptr_t>(point.high))
        return nullptr;
    return Value::Array{json_value(point.low), json_value(point.high)};
}

/// A truth value is kept as its word.
Value coordinate_value(Cell const& cell) {
    auto const text = cell_text(cell);
    return text == "true" || text == "false" ? Value{text == "true"} : json_value(cell);
}

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

Value json_rows(Table const& table) {
    Value::Array rows;
    for (auto const& row : table.rows) {
        Value::Object object;
        for (std::size_t i = 0; i < row.size(); ++i)
            object.emplace_back(table.columns[i], json_value(row[i]));
        rows.emplace_back(std::move(object));
    }
    return rows;
}

Table short_table(std::span<RunEntry const> runs) {
    Table table{
        .columns = {"run", "started", "program", "ranks", "points", "status", "machine", "mpi", "label", "tags"}};
    for (auto const& run : runs)
        table.rows.push_back({run.id(), or_unknown(run.started), run.program, run.ranks, run.points, run.status,
                              run.machine, run.mpi, run.label, fmt::format("{}", fmt::join(run.tags, ","))});
    return table;
}

Table full_table(std::span<RunEntry const> runs) {
    Table table{.columns = {"run", "suite", "program", "started", "mpi", "machine", "kernel", "ranks", "points",
                            "status", "label", "note", "tags"}};
    for (auto const& run : runs)
        table.rows.push_back({run.hash, run.suite, run.program, run.started, run.mpi, run.machine, run.kernel,
                              run.ranks, run.points, run.status, run.label, run.note,
                              fmt::format("{}", fmt::join(run.tags, ","))});
    return table;
}

Table short_table(std::span<PointEntry const> points) {
    auto const names = coordinate_names(points);
    Table table{.columns = {"run", "label", "machine", "mpi", "benchmark"}};
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    for (auto const* const name : {"value", "interval", "verdict", "flags"})
        table.columns.emplace_back(name);
    for (auto const& point : points) {
        std::vector<Cell> row{point.run.substr(0, 10), point.label, point.machine, point.mpi, point.benchmark};
        for (auto const& name : names)
            row.push_back(coordinate(point, name));
        row.insert(row.end(), {value_text(point), interval_text(point), point.verdict, point.flags});
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table full_table(std::span<PointEntry const> points) {
    auto const names = coordinate_names(points);
    Table table{.columns = {"run", "label", "started", "machine", "mpi", "suite", "benchmark"}};
    for (auto const& name : names)
        table.columns.push_back("at." + name);
    for (auto const* const name : {"quantity", "unit", "value", "interval_low", "interval_high", "verdict", "flags"})
        table.columns.emplace_back(name);
    for (auto const& point : points) {
        std::vector<Cell> row{point.run, point.label, point.started,  point.machine,
                              point.mpi, point.suite, point.benchmark};
        for (auto const& name : names)
            row.push_back(coordinate(point, name));
        row.insert(row.end(),
                   {point.quantity, point.unit, point.value, point.low, point.high, point.verdict, point.flags});
        table.rows.push_back(std::move(row));
    }
    return table;
}

Value describe(RunEntry const& run) {
    Value::Array tags{run.tags.begin(), run.tags.end()};
    auto const or_null = [](std::string const& text) { return text.empty() ? Value{} : Value{text}; };
    return Value::Object{{"run", run.hash},
                         {"suite", run.suite},
                         {"program", run.program},
                         {"started", or_null(run.started)},
                         {"mpi", or_null(run.mpi)},
                         {"machine", run.machine},
                         {"ranks", run.ranks},
                         {"kernel", or_null(run.kernel)},
                         {"points", run.points},
                         {"status", run.status},
                         {"label", or_null(run.label)},
                         {"note", or_null(run.note)},
                         {"tags", std::move(tags)}};
}

Value describe(PointEntry const& point) {
    Value::Object at;
    for (auto const& [name, cell] : point.at)
        at.emplace_back(name, coordinate_value(cell));
    auto const or_null = [](std::string const& text) { return text.empty() ? Value{} : Value{text}; };
    return Value::Object{{"run", point.run},
                         {"label", or_null(point.label)},
                         {"started", or_null(point.started)},
                         {"machine", point.machine},
                         {"mpi", or_null(point.mpi)},
                         {"suite", point.suite},
                         {"benchmark", point.benchmark},
                         {"at", std::move(at)},
                         {"quantity", point.quantity},
                         {"unit", point.unit},
                         {"value", json_value(point.value)},
                         {"interval", interval_value(point)},
                         {"verdict", point.verdict},
                         {"flags", words(point.flags)}};
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
