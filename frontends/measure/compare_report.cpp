// SPDX-License-Identifier: BSD-3-Clause
#include "compare_report.hpp"

#include "report.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace measure_tool {

namespace {

using measure::Point;
using page::Cell;
using page::Table;

/// "+10.0"; what rounds to nothing has no sign of its own.
std::string percent(double ratio) {
    auto text = fmt::format("{:+.1f}", (ratio - 1) * 100);
    return text == "-0.0" ? "+0.0" : text;
}

std::string compared_text(ComparedPoint const& point) {
    if (point.basis == Basis::intervals)
        return "intervals";
    return fmt::format("{}+{} {}", point.n_a, point.n_b, name(point.basis));
}

std::vector<std::string> coordinate_names(Point const& at) {
    std::vector<std::string> names;
    for (auto const& coordinate : at.coordinates())
        names.push_back(coordinate.first);
    return names;
}

std::vector<Cell> point_cells(PointName const& point) {
    std::vector<Cell> cells{point.benchmark};
    for (auto const& coordinate : point.at.coordinates())
        cells.emplace_back(measure::coordinate_text(coordinate.second));
    return cells;
}

Table compared_table(std::vector<std::string> const& coordinates) {
    Table table{.columns = {"benchmark"}, .row_headings = true};
    table.columns.insert(table.columns.end(), coordinates.begin(), coordinates.end());
    for (char const* const column :
         {"A", "B", "unit", "change %", "interval %", "matters %", "p", "verdict", "compared", "remarks"})
        table.columns.emplace_back(column);
    return table;
}

std::vector<Cell> compared_row(ComparedPoint const& point) {
    measure::UnitText const unit{point.point.quantity, std::min(point.a, point.b)};
    std::string const interval =
        point.interval ? fmt::format("{} .. {}", percent(point.interval->first), percent(point.interval->second)) : "-";
    auto cells = point_cells(point.point);
    bool const differs = point.verdict != Verdict::same && point.verdict != Verdict::unclear;
    for (Cell const& cell : {Cell{unit.text(point.a)}, Cell{unit.text(point.b)}, Cell{std::string{unit.unit()}},
                             Cell{percent(point.ratio)}, Cell{interval}, Cell{in_percent(point.threshold)},
                             Cell{point.adjusted_p ? fmt::format("{:.2g}", *point.adjusted_p) : std::string{}},
                             Cell{std::string{name(point.verdict)}, differs}, Cell{compared_text(point)},
                             Cell{fmt::format("{}", fmt::join(point.remarks, "; "))}})
        cells.push_back(cell);
    return cells;
}

/// A column that nothing stands in is left out.
void drop_remarks(Table& table) {
    bool const has_remarks =
        std::any_of(table.rows.begin(), table.rows.end(), [](auto const& row) { return !row.back().text.empty(); });
    if (has_remarks)
        return;
    table.columns.pop_back();
    for (auto& row : table.rows)
        row.pop_back();
}

/// The points of one group; a new table where the coordinates change.
std::vector<Table> compared_tables(std::vector<ComparedPoint> const& points, std::string const& group) {
    std::vector<Table> tables;
    std::optional<std::vector<std::string>> coordinates;
    for (auto const& point : points) {
        if (point.point.group != group)
            continue;
        if (auto names = coordinate_names(point.point.at); names != coordinates) {
            tables.push_back(compared_table(names));
            coordinates = std::move(names);
        }
        tables.back().rows.push_back(compared_row(point));
    }
    for (auto& table : tables)
        drop_remarks(table);
    return tables;
}

/// The coordinates but the size, as far as a curve is named by them.
std::string curve_label(PointName const& point) {
    std::string label = point.benchmark;
    for (auto const& [key, value] : point.at.coordinates())
        if (key != "bytes" && key != "count")
            label += fmt::format(" {}={}", key, measure::coordinate_text(value));
    return label;
}

/// Ratios over the size, with intervals and the lines beyond which a difference matters.
page::Figure ratio_figure(std::vector<ComparedPoint const*> const& points, std::size_t number) {
    auto const& first = *points.front();
    bool const says_more = !first.point.group.empty() && first.point.group != first.point.benchmark;
    std::string const what = fmt::format("{}{}{}, {}", says_more ? first.point.group : "", says_more ? ": " : "",
                                         first.point.benchmark, measure::name(first.point.quantity));
    page::Plot plot{.stem = fmt::format("ratio-{}", number),
                    .title = what + ": B over A",
                    .x = {.label = "message size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "B / A"}};
    double low = first.threshold;
    std::pair<double, double> range{HUGE_VAL, 0};
    std::pair<double, double> extent{HUGE_VAL, 0};
    for (auto const* const point : points) {
        auto const x = static_cast<double>(point->point.at.bytes("bytes"));
        auto const label = curve_label(point->point);
        auto found =
            std::find_if(plot.curves.begin(), plot.curves.end(), [&](auto const& c) { return c.label == label; });
        if (found == plot.curves.end())
            found = plot.curves.insert(plot.curves.end(), {.label = label});
        found->points.push_back({.x = x, .y = point->ratio, .interval = point->interval});
        auto const [least, most] = point->interval.value_or(measure::Interval{point->ratio, point->ratio});
        extent = {std::min(extent.first, least), std::max(extent.second, most)};
        low = std::min(low, point->threshold);
        range = {std::min(range.first, x), std::max(range.second, x)};
    }
    auto const style = plot.curves.size();
    for (double const y : {1 + low, 1 / (1 + low)})
        plot.curves.push_back({.label = y > 1 ? fmt::format("threshold {:.3g} %", low * 100) : "",
                               .points = {{.x = range.first, .y = y}, {.x = range.second, .y = y}},
                               .shape = page::Shape::line,
                               .style = style});
    plot.y.log = extent.second > 10 * extent.first;
    auto notes = cut_intervals_text(plot);
    return {.plot = std::move(plot),
            .caption = what + ": ratio of medians and its interval.",
            .notes = std::move(notes),
            .data = {}};
}

/// One for each benchmark of the group with two sizes and more.
std::vector<page::Figure> ratio_figures(std::vector<ComparedPoint> const& points, std::string const& group,
                                        std::size_t& number) {
    std::map<std::pair<std::string, measure::Quantity>, std::vector<ComparedPoint const*>> benchmarks;
    for (auto const& point : points) {
        auto const& at = point.point.at.coordinates();
        bool const has_size = std::any_of(at.begin(), at.end(), [](auto const& coordinate) {
            auto const* const bytes = std::get_if<std::int64_t>(&coordinate.second);
            return coordinate.first == "bytes" && bytes != nullptr && *bytes > 0;
        });
        if (point.point.group == group && has_size)
            benchmarks[{point.point.benchmark, point.point.quantity}].push_back(&point);
    }
    std::vector<page::Figure> figures;
    for (auto const& [benchmark, some] : benchmarks)
        if (some.size() > 1)
            figures.push_back(ratio_figure(some, number++));
    return figures;
}

std::vector<std::string> group_names(Comparison const& comparison) {
    std::vector<std::string> names;
    for (auto const& point : comparison.points)
        if (std::find(names.begin(), names.end(), point.point.group) == names.end())
            names.push_back(point.point.group);
    return names;
}

Table means_table(std::vector<GroupMean> const& means, bool has_groups) {
    Table table{.caption = "Geometric means of B / A over the points that both sides have"};
    if (has_groups)
        table.columns.emplace_back("group");
    for (char const* const column : {"quantity", "points", "change %", "remarks"})
        table.columns.emplace_back(column);
    for (auto const& mean : means) {
        std::vector<Cell> row;
        if (has_groups)
            row.emplace_back(mean.group);
        row.emplace_back(std::string{measure::name(mean.quantity)});
        row.emplace_back(std::to_string(mean.points));
        row.emplace_back(percent(mean.ratio));
        row.emplace_back(mean.missing == 0 ? std::string{}
                                           : fmt::format("incomparable: {} on one side only",
                                                         counted(mean.missing, "point", "points")));
        table.rows.push_back(std::move(row));
    }
    drop_remarks(table);
    return table;
}

Table missing_table(std::vector<MissingPoint> const& missing) {
    Table table{.caption = "Points on one side only", .columns = {"benchmark", "point", "only in", "other side"}};
    for (auto const& point : missing)
        table.rows.push_back({point.point.benchmark, point.point.at.text(), point.in_a ? "A" : "B", point.reason});
    return table;
}

std::string rules_text(CompareReport const& report) {
    auto const& rules = report.rules;
    return fmt::format("Differences below {:.3g} %{} do not matter. p: Mann-Whitney, adjusted by Holm, against {:.3g}; "
                       "intervals: {:.4g} %",
                       rules.threshold * 100,
                       !report.noise.empty() ? " or the noise floor of other launches"
                       : rules.own_noise     ? " or the launches' own noise floor"
                                             : "",
                       rules.alpha, (1 - rules.alpha) * 100);
}

}  // namespace

std::map<Verdict, std::size_t> counts(Comparison const& comparison) {
    std::map<Verdict, std::size_t> result;
    for (auto const& point : comparison.points)
        ++result[point.verdict];
    return result;
}

std::string side_text(std::span<Launch const> launches) {
    auto const& run = launches.front().record.run;
    return fmt::format("{} of {}{}: {}{}", counted(launches.size(), "run", "runs"), run.program,
                       run.mpi_library ? " with " + *run.mpi_library : std::string{}, launches.front().name,
                       launches.size() > 1 ? fmt::format(" .. {}", launches.back().name) : std::string{});
}

page::Document compare_document(CompareReport const& report) {
    auto const& comparison = report.comparison;
    bool const has_groups = !report.rules.by.empty();
    std::vector<std::string> totals;
    for (auto const& [verdict, number] : counts(comparison))
        totals.push_back(fmt::format("{} {}", number, name(verdict)));
    if (!comparison.missing.empty())
        totals.push_back(fmt::format("{} on one side only", comparison.missing.size()));
    page::Document document{.title = "A and B compared"};
    auto& elements = document.elements;
    elements.emplace_back(page::Paragraph{"A: " + report.label_a + side_text(report.a)});
    elements.emplace_back(page::Paragraph{"B: " + report.label_b + side_text(report.b)});
    if (!report.differences.empty()) {
        page::List list;
        for (auto const& difference : report.differences)
            list.items.push_back(difference.text);
        elements.emplace_back(std::move(list));
    }
    elements.emplace_back(page::Paragraph{rules_text(report)});
    elements.emplace_back(page::Paragraph{
        fmt::format("{}: {}", counted(comparison.points.size(), "point", "points"), fmt::join(totals, ", "))});
    if (!report.warnings.empty())
        elements.emplace_back(page::List{.items = report.warnings, .warning = true});
    std::size_t figure = 1;
    for (auto const& group : group_names(comparison)) {
        if (has_groups)
            elements.emplace_back(page::Heading{.level = 1, .text = fmt::format("{}: {}", report.rules.by, group)});
        for (auto& table : compared_tables(comparison.points, group))
            elements.emplace_back(std::move(table));
        for (auto& ratios : ratio_figures(comparison.points, group, figure))
            elements.emplace_back(std::move(ratios));
    }
    if (!comparison.means.empty())
        elements.emplace_back(means_table(comparison.means, has_groups));
    if (!comparison.missing.empty())
        elements.emplace_back(missing_table(comparison.missing));
    return document;
}

}  // namespace measure_tool
