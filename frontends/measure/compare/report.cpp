// SPDX-License-Identifier: BSD-3-Clause
#include "compare/report.hpp"

#include "report/report.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Change, interval, what matters, p, verdict, launches and remarks of a row. Of single launches nothing that looks
/// like a result is shown unless it is asked for.
std::vector<Cell> verdict_cells(ComparedPoint const& point, CompareRules const& rules) {
    bool const is_shown = point.verdict != Verdict::one_launch || rules.single;
    auto const& interval = point.interval;
    double const matters = std::max(rules.threshold, point.floor.value_or(0));
    return {is_shown ? percent(point.ratio) : "-",
            interval ? fmt::format("{} .. {}", percent(interval->first), percent(interval->second)) : "-",
            in_percent(matters),
            point.adjusted_p ? fmt::format("{:.2g}", *point.adjusted_p) : "-",
            Cell{std::string{name(point.verdict)}, is_difference(point.verdict)},
            fmt::format("{}+{} launches", point.n_a, point.n_b),
            fmt::format("{}", fmt::join(point.remarks, "; "))};
}

constexpr std::array verdict_columns{"change %", "interval %", "matters %", "p", "verdict", "compared", "remarks"};

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
    for (char const* const column : {"A", "B", "unit"})
        table.columns.emplace_back(column);
    table.columns.insert(table.columns.end(), verdict_columns.begin(), verdict_columns.end());
    return table;
}

std::vector<Cell> compared_row(ComparedPoint const& point, CompareRules const& rules) {
    measure::UnitText const unit{point.point.quantity, std::min(point.a, point.b)};
    auto cells = point_cells(point.point);
    for (Cell const& cell : {Cell{unit.text(point.a)}, Cell{unit.text(point.b)}, Cell{std::string{unit.unit()}}})
        cells.push_back(cell);
    for (Cell const& cell : verdict_cells(point, rules))
        cells.push_back(cell);
    return cells;
}

/// "Bcast ranks=2", with the quantity where a benchmark has several.
std::string operation_text(ComparedPoint const& operation, std::vector<ComparedPoint> const& all) {
    auto const& name = operation.point;
    bool const has_others = std::any_of(all.begin(), all.end(), [&](ComparedPoint const& other) {
        return other.point.benchmark == name.benchmark && other.point.quantity != name.quantity;
    });
    auto const at = name.at.text();
    return fmt::format("{}{}{}{}", name.benchmark, at.empty() ? "" : " ", at,
                       has_others ? fmt::format(", {}", measure::name(name.quantity)) : std::string{});
}

bool has_sizes(Comparison const& comparison) {
    auto const& all = comparison.operations;
    return std::any_of(all.begin(), all.end(), [](ComparedPoint const& operation) { return operation.points > 1; });
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

/// The verdicts of a group's operations, over all of their points.
Table operations_table(Comparison const& comparison, std::string const& group, CompareRules const& rules) {
    Table table{.caption = "Operations", .columns = {"operation", "points"}, .row_headings = true};
    table.columns.insert(table.columns.end(), verdict_columns.begin(), verdict_columns.end());
    for (auto const& operation : comparison.operations)
        if (operation.point.group == group) {
            std::vector<Cell> row{operation_text(operation, comparison.operations), std::to_string(operation.points)};
            for (Cell const& cell : verdict_cells(operation, rules))
                row.push_back(cell);
            table.rows.push_back(std::move(row));
        }
    drop_remarks(table);
    return table;
}

/// The points of one group; a new table where the coordinates change.
std::vector<Table> compared_tables(std::vector<ComparedPoint> const& points, std::string const& group,
                                   CompareRules const& rules) {
    std::vector<Table> tables;
    std::optional<std::vector<std::string>> coordinates;
    for (auto const& point : points) {
        if (point.point.group != group)
            continue;
        if (auto names = coordinate_names(point.point.at); names != coordinates) {
            tables.push_back(compared_table(names));
            coordinates = std::move(names);
        }
        tables.back().rows.push_back(compared_row(point, rules));
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
page::Figure ratio_figure(std::vector<ComparedPoint const*> const& points, double threshold, std::size_t number) {
    auto const& first = *points.front();
    bool const says_more = !first.point.group.empty() && first.point.group != first.point.benchmark;
    std::string const what = fmt::format("{}{}{}, {}", says_more ? first.point.group : "", says_more ? ": " : "",
                                         first.point.benchmark, measure::name(first.point.quantity));
    page::Plot plot{.stem = fmt::format("ratio-{}", number),
                    .title = what + ": B over A",
                    .x = {.label = "message size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "B / A"}};
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
        range = {std::min(range.first, x), std::max(range.second, x)};
    }
    auto const style = plot.curves.size();
    for (double const y : {1 + threshold, 1 / (1 + threshold)})
        plot.curves.push_back({.label = y > 1 ? fmt::format("threshold {:.3g} %", threshold * 100) : "",
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
                                        CompareRules const& rules, std::size_t& number) {
    std::map<std::pair<std::string, measure::Quantity>, std::vector<ComparedPoint const*>> benchmarks;
    for (auto const& point : points) {
        auto const& at = point.point.at.coordinates();
        bool const has_size = std::any_of(at.begin(), at.end(), [](auto const& coordinate) {
            auto const* const bytes = std::get_if<std::int64_t>(&coordinate.second);
            return coordinate.first == "bytes" && bytes != nullptr && *bytes > 0;
        });
        bool const is_shown = point.verdict != Verdict::one_launch || rules.single;
        if (point.point.group == group && has_size && is_shown)
            benchmarks[{point.point.benchmark, point.point.quantity}].push_back(&point);
    }
    std::vector<page::Figure> figures;
    for (auto const& [benchmark, some] : benchmarks)
        if (some.size() > 1)
            figures.push_back(ratio_figure(some, rules.threshold, number++));
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
    return fmt::format("Differences below {:.3g} %{} do not matter. p: Mann-Whitney, adjusted by Holm over the "
                       "operations, and over the points of those that differ, against {:.3g}; intervals follow the "
                       "same adjustment",
                       rules.threshold * 100,
                       !report.noise.empty() ? " or the noise floor of other launches"
                       : rules.own_noise     ? " or the launches' own noise floor"
                                             : "",
                       rules.alpha);
}

std::string totals_text(std::vector<ComparedPoint> const& points, std::string_view one, std::string_view many) {
    std::vector<std::string> totals;
    for (auto const& [verdict, number] : counts(points))
        totals.push_back(fmt::format("{} {}", number, name(verdict)));
    return fmt::format("{}: {}", counted(points.size(), one, many), fmt::join(totals, ", "));
}

}  // namespace

std::map<Verdict, std::size_t> counts(std::span<ComparedPoint const> points) {
    std::map<Verdict, std::size_t> result;
    for (auto const& point : points)
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
    page::Document document{.title = "A and B compared"};
    auto& elements = document.elements;
    elements.emplace_back(page::Paragraph{"A: " + report.label_a + side_text(report.a)});
    elements.emplace_back(page::Paragraph{"B: " + report.label_b + side_text(report.b)});
    if (!report.differences.empty()) {
        elements.emplace_back(page::Paragraph{"The sides differ in"});
        page::List list;
        for (auto const& difference : report.differences)
            list.items.push_back(difference.text);
        elements.emplace_back(std::move(list));
    }
    elements.emplace_back(page::Paragraph{rules_text(report)});
    auto totals = has_sizes(comparison) ? totals_text(comparison.operations, "operation", "operations") + "; " : "";
    totals += totals_text(comparison.points, "point", "points");
    if (!comparison.missing.empty())
        totals += fmt::format(", {} on one side only", comparison.missing.size());
    elements.emplace_back(page::Paragraph{std::move(totals)});
    if (!report.warnings.empty())
        elements.emplace_back(page::List{.items = report.warnings, .warning = true});
    std::size_t figure = 1;
    for (auto const& group : group_names(comparison)) {
        if (has_groups)
            elements.emplace_back(page::Heading{.level = 1, .text = fmt::format("{}: {}", report.rules.by, group)});
        if (has_sizes(comparison))
            elements.emplace_back(operations_table(comparison, group, report.rules));
        for (auto& table : compared_tables(comparison.points, group, report.rules))
            elements.emplace_back(std::move(table));
        for (auto& ratios : ratio_figures(comparison.points, group, report.rules, figure))
            elements.emplace_back(std::move(ratios));
    }
    if (!comparison.means.empty())
        elements.emplace_back(means_table(comparison.means, has_groups));
    if (!comparison.missing.empty())
        elements.emplace_back(missing_table(comparison.missing));
    return document;
}

}  // namespace measure_tool
