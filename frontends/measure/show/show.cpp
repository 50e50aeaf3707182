// SPDX-License-Identifier: BSD-3-Clause
#include "show/show.hpp"

#include "analysis/runs/series.hpp"
#include "analysis/runs/unknown.hpp"
#include "page/document.hpp"
#include "shared/plain_text.hpp"
#include "shared/plots.hpp"
#include "shared/summaries.hpp"
#include "show/notes.hpp"
#include "show/regions.hpp"

#include <measure/launches.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace measure::tool {

namespace {

using measure::Record;

/// The parts in comment lines, wrapped between parts to the width of a terminal.
std::string comment_lines(std::vector<std::string> const& parts) {
    std::string text = "#";
    std::size_t length = text.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        auto const part = " " + printable(parts[i]) + (i + 1 < parts.size() ? "," : "");
        if (length + part.size() > terminal_columns && length > 1) {
            text += "\n#  ";
            length = 4;
        }
        text += part;
        length += part.size();
    }
    return text + "\n";
}

/// "2 ranks on vm (2 cores)"
std::string place_text(measure::Environment const& run) {
    std::vector<std::string> hosts;
    for (auto const& host : run.hosts)
        hosts.push_back(host.cores > 0 ? fmt::format("{} ({})", host.name,
                                                     counted(static_cast<std::size_t>(host.cores), "core", "cores"))
                                       : host.name);
    if (hosts.size() > 3)
        hosts = {hosts.front(), fmt::format("{} more hosts", hosts.size() - 1)};
    auto const machine = named_machine(run);
    auto const place = machine.empty() ? or_unknown(fmt::format("{}", fmt::join(hosts, ", "))) : machine;
    return fmt::format("{} on {}", counted(static_cast<std::size_t>(run.ranks), "rank", "ranks"),
                       place == measure::not_named ? "an unknown machine" : place);
}

std::string run_heading(Launch const& launch) {
    auto const& run = launch.record.run;
    auto const& end = launch.record.end;
    std::vector<std::string> parts{fmt::format("{}: {}", launch.name, program_text(run))};
    if (run.mpi_library)
        parts.push_back(library_text(run));
    parts.push_back(place_text(run));
    parts.push_back(run.started.empty() ? "date unknown" : run.started);
    if (end && end->status != "complete")
        parts.push_back(end->status);
    return comment_lines(parts);
}

using NamedCoordinate = std::pair<std::string, measure::Point::Coordinate>;

/// The coordinates that all points share; none for fewer than two points.
std::vector<NamedCoordinate> common_coordinates(std::span<Record const> points) {
    if (points.size() < 2)
        return {};
    auto common = points.front().at.coordinates();
    for (auto const& point : points)
        std::erase_if(common, [&](NamedCoordinate const& each) {
            auto const& own = point.at.coordinates();
            return std::find(own.begin(), own.end(), each) == own.end();
        });
    return common;
}

/// The stopping rule that was met; otherwise the status, followed by the reason if there is one.
std::string stopped_by(Record const& record) {
    std::string const status{measure::name(record.status)};
    if (record.stop_reason.empty() || record.stop_reason == status)
        return status;
    return record.status == measure::PointStatus::converged ? record.stop_reason
                                                            : fmt::format("{}: {}", status, record.stop_reason);
}

/// "95 % " if all intervals have this confidence level, otherwise empty.
std::string shown_confidence(std::span<Record const> points) {
    std::set<double> levels;
    for (auto const& point : points)
        if (interval_of(point))
            levels.insert(point.estimate->confidence);
    return levels.size() == 1 ? fmt::format("{:.4g} % ", 100 * *levels.begin()) : std::string{};
}

std::vector<NamedCoordinate> without_common(std::vector<NamedCoordinate> own, std::span<NamedCoordinate const> common) {
    std::erase_if(own, [&](NamedCoordinate const& each) {
        return std::find(common.begin(), common.end(), each) != common.end();
    });
    return own;
}

std::string counted_launches(Record const& record) {
    return measure::is_merged(record) ? std::to_string(measure::launches_with_value(record)) : std::string{};
}

/// \param points  points with the same coordinate names
std::string shown_rows(std::span<Record const> points, std::span<NamedCoordinate const> common,
                       std::string const& confidence, Notes& notes) {
    page::Table table{.columns = {"benchmark"}};
    for (auto const& [name, value] : without_common(points.front().at.coordinates(), common))
        table.columns.push_back(name);
    table.columns.insert(table.columns.end(),
                         {"value", "", "+-", confidence + "interval", "valid", "launches", "stopped by", "note"});
    for (auto const& point : points) {
        std::vector<page::Cell> row{point.benchmark};
        for (auto const& [name, value] : without_common(point.at.coordinates(), common))
            row.emplace_back(measure::coordinate_text(value));
        add_numbers(point, row);
        row.emplace_back(measure::samples_text(point));
        row.emplace_back(counted_launches(point));
        row.emplace_back(stopped_by(point));
        row.emplace_back(notes.letter(point));
        table.rows.push_back(std::move(row));
    }
    drop_empty_columns(table);
    return plain_rows(table);
}

/// A table for each sequence of points with the same coordinate names.
std::string shown_tables(std::span<Record const> points) {
    auto const common = common_coordinates(points);
    auto const confidence = shown_confidence(points);
    Notes notes;
    std::string text;
    while (!points.empty()) {
        auto const names = points.front().at.names();
        auto const end =
            std::find_if(points.begin(), points.end(), [&](auto const& p) { return p.at.names() != names; });
        auto const count = static_cast<std::size_t>(end - points.begin());
        text += (text.empty() ? "" : "\n") + shown_rows(points.first(count), common, confidence, notes);
        points = points.subspan(count);
    }
    std::vector<std::string> shared;
    for (auto const& [name, value] : common)
        shared.push_back(fmt::format("{}={}", name, measure::coordinate_text(value)));
    if (!shared.empty())
        shared.front().insert(0, "all points: ");
    return (shared.empty() ? "" : comment_lines(shared)) + text + notes.text();
}

std::string rows_of_summaries(measure::RunRecord const& record) {
    SummaryNames names;
    names.add(record);
    page::Table table{.columns = {"of the whole run", "value", "unit"}};
    for (auto const* const summary : in_order(record))
        table.rows.push_back(
            {names.of(*summary), summary->value ? fmt::format("{:.5g}", *summary->value) : "-", summary->unit});
    return plain_rows(table);
}

}  // namespace

std::string show_text(Launch const& launch) {
    auto const& record = launch.record;
    auto text = run_heading(launch);
    if (has_regions(launch))
        return text + regions_text(launch);
    if (record.points.empty() && record.summaries.empty())
        text += "# no points\n";
    if (!record.points.empty())
        text += shown_tables(record.points);
    if (!record.summaries.empty())
        text += (record.points.empty() ? "" : "\n") + rows_of_summaries(record);
    return text;
}

}  // namespace measure::tool
