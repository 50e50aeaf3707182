// SPDX-License-Identifier: BSD-3-Clause
// Archive: searching.
#include "archive/archive.hpp"
#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace measure::tool::archive {

namespace {

using measure::UsageError;

constexpr std::size_t shortest_id = 4;

constexpr std::string_view run_columns =
    "run.id, run.hash, run.suite, run.program, run.started, run.mpi, run.machine, run.kernel, run.ranks, run.points, "
    "run.status, run.label, run.note";

}  // namespace

RunEntry Archive::find(std::string const& id) const {
    auto const wanted = program::lower(id);
    if (wanted.size() < shortest_id || wanted.find_first_not_of("0123456789abcdef") != std::string::npos)
        throw UsageError(fmt::format(
            "'{}' is not an ID; give at least {} of the digits that 'measure archive list' shows", id, shortest_id));
    auto rows = database_.prepare(
        fmt::format("SELECT {} FROM run WHERE substr(hash, 1, ?) = ? ORDER BY hash LIMIT 3", run_columns));
    rows.bind({static_cast<std::int64_t>(wanted.size()), wanted});
    auto found = entries(rows);
    if (found.empty())
        throw UsageError(fmt::format("no run '{}' in '{}'", id, database_.path()));
    if (found.size() > 1)
        throw UsageError(fmt::format("'{}' matches several runs: {}, {}", id, found[0].id(), found[1].id()));
    return std::move(found.front());
}

std::vector<RunEntry> Archive::runs(std::vector<Condition> const& conditions) const {
    auto terms = search(conditions);
    auto cells = std::move(terms.run_cells);
    std::string points;
    if (terms.has_point()) {
        points = fmt::format(" AND EXISTS (SELECT 1 FROM point WHERE point.run = run.id AND {})", terms.point);
        std::move(terms.point_cells.begin(), terms.point_cells.end(), std::back_inserter(cells));
    }
    auto rows = database_.prepare(
        fmt::format("SELECT {} FROM run WHERE {}{} ORDER BY started, hash", run_columns, terms.run, points));
    rows.bind(cells);
    return entries(rows);
}

std::vector<RunEntry> Archive::entries(Statement& rows) const {
    std::vector<RunEntry> result;
    auto tags = database_.prepare("SELECT name FROM tag WHERE run = ? ORDER BY name");
    while (rows.next()) {
        int column = 0;
        RunEntry run{.row = rows.integer(column++)};
        for (auto* const text :
             {&run.hash, &run.suite, &run.program, &run.started, &run.mpi, &run.machine, &run.kernel})
            *text = rows.text(column++);
        run.ranks = rows.integer(column++);
        run.points = rows.integer(column++);
        for (auto* const text : {&run.status, &run.label, &run.note})
            *text = rows.text(column++);
        for (tags.bind({run.row}); tags.next();)
            run.tags.push_back(tags.text(0));
        result.push_back(std::move(run));
    }
    return result;
}

std::vector<PointEntry> Archive::points(std::vector<Condition> const& conditions) const {
    auto terms = search(conditions);
    auto rows = database_.prepare(
        fmt::format("SELECT point.id, run.hash, run.label, run.machine, run.mpi, run.started, run.suite, "
                    "point.benchmark, point.quantity, point.unit, point.verdict, point.value, point.interval_low, "
                    "point.interval_high FROM point JOIN run ON run.id = point.run WHERE {} AND {} "
                    "ORDER BY run.started, run.hash, point.id",
                    terms.run, terms.point));
    auto coordinates = database_.prepare("SELECT name, value FROM coordinate WHERE point = ? ORDER BY place");
    auto flags = database_.prepare("SELECT group_concat(name, ' ') FROM flag WHERE point = ?");
    std::move(terms.point_cells.begin(), terms.point_cells.end(), std::back_inserter(terms.run_cells));
    std::vector<PointEntry> result;
    for (rows.bind(terms.run_cells); rows.next();) {
        int column = 1;
        PointEntry point;
        for (auto* const text : {&point.run, &point.label, &point.machine, &point.mpi, &point.started, &point.suite,
                                 &point.benchmark, &point.quantity, &point.unit, &point.verdict})
            *text = rows.text(column++);
        for (auto* const number : {&point.value, &point.low, &point.high})
            *number = rows.at(column++);
        for (coordinates.bind({rows.integer(0)}); coordinates.next();)
            point.at.emplace_back(coordinates.text(0), coordinates.at(1));
        flags.bind({rows.integer(0)});
        if (flags.next())
            point.flags = flags.text(0);
        result.push_back(std::move(point));
    }
    return result;
}

/// A name that is neither a field nor a coordinate of any point is an error, not a search without results.
SearchTerms Archive::search(std::vector<Condition> const& conditions) const {
    for (auto const& condition : conditions) {
        auto const name = coordinate_of(condition);
        if (name.empty())
            continue;
        auto known = field_names();
        bool exists = false;
        for (auto names = database_.prepare("SELECT DISTINCT name FROM coordinate ORDER BY name"); names.next();) {
            exists = exists || names.text(0) == name;
            known.push_back(names.text(0));
        }
        auto const near = program::closest(name, known);
        if (!exists)
            throw UsageError(fmt::format("'{}': '{}' is neither a field nor a coordinate in the archive{}",
                                         condition.text, name,
                                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    return search_terms(conditions);
}

}  // namespace measure::tool::archive
