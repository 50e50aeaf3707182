// SPDX-License-Identifier: BSD-3-Clause
#include "compare/report.hpp"

#include "analysis/compare/controls.hpp"
#include "analysis/core/text.hpp"
#include "analysis/runs/points.hpp"
#include "analysis/runs/unknown.hpp"
#include "page/columns.hpp"
#include "shared/plain_text.hpp"
#include "shared/plots.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace measure::tool {

namespace {

using measure::Point;
using page::Cell;
using page::Table;

/// "+10.0"; zero is always "+0.0".
std::string percent(double ratio) {
    auto text = fmt::format("{:+.1f}", (ratio - 1) * 100);
    return text == "-0.0" ? "+0.0" : text;
}

/// The verdict with a colour. "SLOWER" is in capitals, so that it stands out without colours.
Cell verdict_cell(Verdict verdict) {
    Cell cell{verdict == Verdict::slower ? std::string{"SLOWER"} : std::string{name(verdict)}, is_difference(verdict)};
    cell.tone = verdict == Verdict::slower   ? page::Tone::bad
                : verdict == Verdict::faster ? page::Tone::good
                                             : page::Tone::plain;
    return cell;
}

/// Remarks that are shortened to a mark in the rows. A legend explains the marks.
constexpr std::array disagreements{std::pair{"launches of A disagree", "~A"},
                                   std::pair{"launches of B disagree", "~B"}};

std::string marked(std::string const& remark) {
    auto const found = std::find_if(disagreements.begin(), disagreements.end(),
                                    [&](auto const& each) { return remark == each.first; });
    return found == disagreements.end() ? remark : found->second;
}

std::string remarks_text(ComparedPoint const& point) {
    std::vector<std::string> remarks;
    for (auto const& remark : point.remarks)
        remarks.push_back(marked(remark));
    for (auto const& change : point.by_state)
        remarks.push_back(fmt::format("{}: {} {} %{}", change.controls, verdict_cell(change.verdict).text,
                                      percent(change.ratio),
                                      change.interval ? fmt::format(" ({} .. {})", percent(change.interval->first),
                                                                    percent(change.interval->second))
                                                      : std::string{}));
    return fmt::format("{}", fmt::join(remarks, "; "));
}

using PointColumns = page::Columns<ComparedPoint>;

/// Adds the columns of the change. The change between single launches is shown only with --single.
void add_change(PointColumns& columns, CompareRules const& rules) {
    using Compared = ComparedPoint;
    columns.insert(
        columns.end(),
        {{"change %",
          [&](Compared const& point) {
              return point.verdict != Verdict::one_launch || rules.single ? percent(point.ratio) : "-";
          }},
         {"interval %",
          [](Compared const& point) {
              auto const& interval = point.interval;
              return interval ? fmt::format("{} .. {}", percent(interval->first), percent(interval->second)) : "-";
          }},
         {"matters %",
          [&](Compared const& point) { return in_percent(std::max(rules.threshold, point.floor.value_or(0))); }},
         {"p", [](Compared const& point) { return point.adjusted_p ? fmt::format("{:.2g}", *point.adjusted_p) : "-"; }},
         {"launches", [](Compared const& point) { return fmt::format("{}+{}", point.n_a, point.n_b); }},
         {"remarks", remarks_text}});
}

page::Column<ComparedPoint> verdict_column() {
    return {"verdict", [](ComparedPoint const& point) { return verdict_cell(point.verdict); }};
}

/// Order of the rows: differences first, slower before faster, then the other verdicts; within a verdict, the largest
/// change first.
bool goes_before(ComparedPoint const& a, ComparedPoint const& b) {
    auto const place = [](ComparedPoint const& point) {
        constexpr std::array order{Verdict::slower,  Verdict::faster, Verdict::higher,  Verdict::lower,
                                   Verdict::unclear, Verdict::same,   Verdict::machine, Verdict::one_launch};
        return std::find(order.begin(), order.end(), point.verdict) - order.begin();
    };
    return std::pair{place(a), -std::abs(std::log(a.ratio))} < std::pair{place(b), -std::abs(std::log(b.ratio))};
}

std::vector<ComparedPoint> sorted_group(std::vector<ComparedPoint> const& all, std::string const& group) {
    std::vector<ComparedPoint> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [&](ComparedPoint const& point) { return point.point.group == group; });
    std::stable_sort(some.begin(), some.end(), goes_before);
    return some;
}

/// "Bcast ranks=2", with the quantity if the benchmark has several.
std::string operation_text(ComparedPoint const& operation, std::vector<ComparedPoint> const& all) {
    auto const& name = operation.point;
    bool const has_others = std::any_of(all.begin(), all.end(), [&](ComparedPoint const& other) {
        return other.point.benchmark == name.benchmark && other.point.quantity != name.quantity;
    });
    auto const at = name.at.text();
    return fmt::format("{}{}{}{}", name.benchmark, at.empty() ? "" : " ", at,
                       has_others ? fmt::format(", {}", measure::name(name.quantity)) : std::string{});
}

/// A tile for an operation.
page::Tile tile_of(ComparedPoint const& operation, std::vector<ComparedPoint> const& all) {
    auto const verdict = verdict_cell(operation.verdict);
    page::Tile tile{.label = operation_text(operation, all),
                    .number = percent(operation.ratio) + " %",
                    .word = verdict.text,
                    .tone = verdict.tone};
    if (auto const& interval = operation.interval)
        tile.error = fmt::format("{} .. {}", percent(interval->first), percent(interval->second));
    return tile;
}

bool has_sizes(Comparison const& comparison) {
    auto const& all = comparison.operations;
    return std::any_of(all.begin(), all.end(), [](ComparedPoint const& operation) { return operation.points > 1; });
}

void drop_column(Table& table, std::size_t column) {
    auto const place = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + place);
    for (auto& row : table.rows)
        row.erase(row.begin() + place);
}

/// The text of a column if it is the same in all rows.
std::optional<std::string> shared_cell(Table const& table, std::size_t column) {
    auto const& first = table.rows.front()[column].text;
    bool const is_shared =
        std::all_of(table.rows.begin(), table.rows.end(), [&](auto const& row) { return row[column].text == first; });
    return is_shared ? std::optional{first} : std::nullopt;
}

/// Leaves out columns that are the same in all rows. The number of launches is in the caption instead, and the
/// threshold is above all tables. \param table  must have rows
void leave_out_shared(Table& table, CompareRules const& rules) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
        auto const shared = shared_cell(table, i);
        auto const& column = table.columns[i];
        if (!shared)
            continue;
        if (column == "launches")
            table.caption += fmt::format("{}{} launches", table.caption.empty() ? "" : ", ", *shared);
        if (column == "launches" || (column == "remarks" && shared->empty()) ||
            (column == "matters %" && *shared == in_percent(rules.threshold)) || (column == "points" && *shared == "1"))
            drop_column(table, i);
    }
}

/// The verdicts of the operations of a group, over all their points.
Table operations_table(Comparison const& comparison, std::string const& group, CompareRules const& rules) {
    PointColumns columns{
        verdict_column(),
        {"operation", [&](ComparedPoint const& each) { return operation_text(each, comparison.operations); }},
        {"points", [](ComparedPoint const& each) { return std::to_string(each.points); }}};
    add_change(columns, rules);
    auto table = page::table_of({.caption = "Operations"}, sorted_group(comparison.operations, group), columns);
    leave_out_shared(table, rules);
    return table;
}

/// A value of a side, in a unit that suits both sides.
std::string side_value(ComparedPoint const& point, double value) {
    return measure::UnitText{point.point.quantity, std::min(point.a, point.b)}.text(value);
}

/// A table of points with the same coordinate names. \param known  coordinates that are in the caption
Table compared_table(std::vector<ComparedPoint> const& points, std::string caption, bool with_benchmark,
                     Point const& known, CompareRules const& rules) {
    using Compared = ComparedPoint;
    PointColumns columns{verdict_column()};
    if (with_benchmark)
        columns.push_back({"benchmark", [](Compared const& point) { return point.point.benchmark; }});
    for (auto const& name : points.front().point.at.names())
        if (!known.has(name))
            columns.push_back(
                {name, [name](Compared const& point) { return measure::coordinate_text(*point.point.at.find(name)); }});
    columns.insert(columns.end(),
                   {{"A", [](Compared const& point) { return side_value(point, point.a); }},
                    {"B", [](Compared const& point) { return side_value(point, point.b); }},
                    {"unit", [](Compared const& point) {
                         return std::string{measure::UnitText{point.point.quantity, std::min(point.a, point.b)}.unit()};
                     }}});
    add_change(columns, rules);
    auto table = page::table_of({.caption = std::move(caption)}, points, columns);
    leave_out_shared(table, rules);
    return table;
}

/// Groups points by the names of their coordinates, in the order of first appearance.
std::vector<std::vector<ComparedPoint>> by_coordinates(std::vector<ComparedPoint> const& points) {
    std::vector<std::vector<ComparedPoint>> parts;
    for (auto const& point : points) {
        auto const names = point.point.at.names();
        auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](auto const& part) { return part.front().point.at.names() == names; });
        if (found == parts.end())
            found = parts.insert(parts.end(), std::vector<ComparedPoint>{});
        found->push_back(point);
    }
    return parts;
}

bool is_point_of(ComparedPoint const& point, ComparedPoint const& operation) {
    auto const own = operation_name(point.point);
    return own.group == operation.point.group && own.benchmark == operation.point.benchmark &&
           own.quantity == operation.point.quantity && own.at == operation.point.at;
}

/// Adds the points of a group. If there are sizes, each operation has its own tables, and only the points of operations
/// that differ or have a single launch are shown, unless all are requested.
void add_points(std::vector<page::Element>& to, CompareReport const& report, std::string const& group) {
    auto const& comparison = report.comparison;
    if (!has_sizes(comparison)) {
        for (auto const& part : by_coordinates(sorted_group(comparison.points, group)))
            to.emplace_back(compared_table(part, "", true, {}, report.rules));
        return;
    }
    bool const with_all = report.all_points || report.rules.single;
    std::size_t left_out = 0;
    for (auto const& operation : sorted_group(comparison.operations, group)) {
        bool const is_left_out = !is_difference(operation.verdict) && operation.verdict != Verdict::one_launch;
        if (!with_all && is_left_out) {
            ++left_out;
            continue;
        }
        std::vector<ComparedPoint> points;
        std::copy_if(comparison.points.begin(), comparison.points.end(), std::back_inserter(points),
                     [&](ComparedPoint const& point) { return is_point_of(point, operation); });
        for (auto const& part : by_coordinates(points))
            to.emplace_back(compared_table(part, operation_text(operation, comparison.operations), false,
                                           operation.point.at, report.rules));
    }
    if (left_out > 0)
        to.emplace_back(page::Paragraph{fmt::format(
            "The points of {} not shown; use --all to show them",
            counted(left_out, "operation without a difference are", "operations without a difference are"))});
}

/// Leaves out the last column, the remarks, if it is empty.
void drop_remarks(Table& table) {
    auto const last = table.columns.size() - 1;
    if (!table.rows.empty() && shared_cell(table, last) == "")
        drop_column(table, last);
}

/// The benchmark and its coordinates, except the size.
std::string curve_label(PointName const& point) {
    std::string label = point.benchmark;
    for (auto const& [key, value] : point.at.coordinates())
        if (key != "bytes" && key != "count")
            label += fmt::format(" {}={}", key, measure::coordinate_text(value));
    return label;
}

/// Ratios over the size, with intervals and lines at the threshold.
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
    for (auto& curve : plot.curves)
        std::stable_sort(curve.points.begin(), curve.points.end(),
                         [](auto const& a, auto const& b) { return a.x < b.x; });
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

/// A figure for each benchmark of the group with at least two sizes.
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
        detail::add_once(names, point.point.group);
    return names;
}

Table means_table(std::vector<GroupMean> const& means, bool has_groups) {
    page::Columns<GroupMean> columns;
    if (has_groups)
        columns.push_back({"group", [](GroupMean const& mean) { return mean.group; }});
    columns.insert(columns.end(),
                   {{"quantity", [](GroupMean const& mean) { return std::string{measure::name(mean.quantity)}; }},
                    {"points", [](GroupMean const& mean) { return std::to_string(mean.points); }},
                    {"change %", [](GroupMean const& mean) { return percent(mean.ratio); }},
                    {"remarks", [](GroupMean const& mean) {
                         return mean.missing == 0 ? std::string{}
                                                  : fmt::format("incomparable: {} on one side only",
                                                                counted(mean.missing, "point", "points"));
                     }}});
    auto table =
        page::table_of({.caption = "Geometric means of B / A over the points that both sides have"}, means, columns);
    drop_remarks(table);
    return table;
}

Table missing_table(std::vector<MissingPoint> const& missing) {
    Table table{.caption = "Points on one side only", .columns = {"benchmark", "point", "only in", "other side"}};
    // A coordinate that differs between launches would produce pages of missing points.
    constexpr std::size_t most_of_one = 5;
    std::map<std::pair<std::string, bool>, std::size_t> number;
    for (auto const& point : missing)
        if (auto const n = ++number[{point.point.benchmark, point.in_a}]; n <= most_of_one)
            table.rows.push_back({point.point.benchmark, point.point.at.text(), point.in_a ? "A" : "B", point.reason});
    for (auto const& [name, n] : number)
        if (n > most_of_one)
            table.rows.push_back({name.first, fmt::format("{} more", n - most_of_one), name.second ? "A" : "B", ""});
    return table;
}

std::string rules_text(CompareReport const& report) {
    auto const& rules = report.rules;
    return fmt::format("Differences below {:.3g} %{} are ignored. p: Mann-Whitney test, adjusted by Holm over the "
                       "operations, and over the points of operations that differ; significant below {:.3g}. Intervals "
                       "have the same adjustment",
                       rules.threshold * 100,
                       !report.noise.empty() ? " or the noise floor of other launches"
                       : rules.own_noise     ? " or the noise floor of the compared launches"
                                             : "",
                       rules.alpha);
}

/// "a and b", "a, b and c".
std::string enumerated(std::vector<std::string> words) {
    if (words.size() < 2)
        return words.empty() ? std::string{} : words.front();
    auto last = std::move(words.back());
    words.pop_back();
    return fmt::format("{} and {}", fmt::join(words, ", "), last);
}

/// The states of the machine, and the number of launches of each side in them.
std::string states_of_sides(SideStates const& states) {
    std::array<std::vector<std::string>, 2> numbers;
    for (std::size_t side = 0; side < numbers.size(); ++side)
        for (std::size_t state = 0; state < states.found.states.size(); ++state)
            numbers[side].push_back(std::to_string(states.count(side, state)));
    return fmt::format("The machine was in {} states: {}. A has {} launches in them, B {}. {}",
                       states.found.states.size(), states_text(states.found), enumerated(numbers[0]),
                       enumerated(numbers[1]),
                       have_shared_state(states) ? "Launches are compared within states"
                                                 : "No state has launches of both sides, so there is no comparison");
}

std::string totals_text(std::vector<ComparedPoint> const& points, std::string_view one, std::string_view many) {
    std::vector<std::string> totals;
    for (auto const& [verdict, number] : counts(points))
        totals.push_back(fmt::format("{} {}", number, name(verdict)));
    return fmt::format("{}: {}", counted(points.size(), one, many), fmt::join(totals, ", "));
}

/// The folder that contains all files of both sides, with a final slash.
std::string common_folder(CompareReport const& report) {
    auto folder_of = [](std::string const& file) { return file.substr(0, file.rfind('/') + 1); };
    auto common = folder_of(report.a.front().file);
    for (auto const side : {report.a, report.b})
        for (auto const& launch : side)
            while (!launch.file.starts_with(common))
                common = folder_of(common.substr(0, common.size() - 1));
    return common;
}

/// "10 launches of mpiperf with MPICH 4.0.2: a.jsonl"; "a.jsonl .. b.jsonl" for several files.
std::string side_text(std::span<Launch const> launches, std::size_t folder) {
    auto const& run = launches.front().record.run;
    auto const name = [&](Launch const& launch) {
        return launch.file.empty() ? launch.name : launch.file.substr(folder);
    };
    auto const first = name(launches.front());
    auto const last = name(launches.back());
    return fmt::format("{} of {}{}: {}{}", counted(launches.size(), "launch", "launches"), program_of(run),
                       run.mpi_library ? " with " + library_text(run) : std::string{}, first,
                       last != first ? fmt::format(" .. {}", last) : std::string{});
}

/// "~A: launches of A disagree"; empty if no row has a mark.
std::string legend_of_marks(Comparison const& comparison) {
    std::vector<std::string> parts;
    for (auto const& [remark, mark] : disagreements) {
        auto const has_it = [text = std::string{remark}](ComparedPoint const& point) {
            return std::find(point.remarks.begin(), point.remarks.end(), text) != point.remarks.end();
        };
        if (std::any_of(comparison.operations.begin(), comparison.operations.end(), has_it) ||
            std::any_of(comparison.points.begin(), comparison.points.end(), has_it))
            parts.push_back(fmt::format("{}: {}", mark, remark));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::map<Verdict, std::size_t> counts(std::span<ComparedPoint const> points) {
    std::map<Verdict, std::size_t> result;
    for (auto const& point : points)
        ++result[point.verdict];
    return result;
}

page::Document compare_document(CompareReport const& report) {
    auto const& comparison = report.comparison;
    bool const has_groups = !report.rules.by.empty();
    page::Document document{.title = "A and B compared"};
    auto& elements = document.elements;
    auto const folder = common_folder(report).size();
    elements.emplace_back(page::Paragraph{"A: " + report.label_a + side_text(report.a, folder)});
    elements.emplace_back(page::Paragraph{"B: " + report.label_b + side_text(report.b, folder)});
    if (!report.differences.empty()) {
        elements.emplace_back(page::Paragraph{"The sides differ in"});
        page::List list;
        for (auto const& difference : report.differences)
            list.items.push_back(difference.text);
        elements.emplace_back(std::move(list));
    }
    elements.emplace_back(page::Paragraph{rules_text(report)});
    if (comparison.states.found.are_several())
        elements.emplace_back(page::Paragraph{states_of_sides(comparison.states)});
    if (auto const controls = controls_text(control_changes(comparison)); !controls.empty())
        elements.emplace_back(page::Paragraph{"Controls (independent of the MPI library): " + controls});
    auto totals = has_sizes(comparison) ? totals_text(comparison.operations, "operation", "operations") + "; " : "";
    totals += totals_text(comparison.points, "point", "points");
    if (!comparison.missing.empty())
        totals += fmt::format(", {} on one side only", comparison.missing.size());
    elements.emplace_back(page::Paragraph{std::move(totals)});
    if (!report.warnings.empty())
        elements.emplace_back(page::List{.items = report.warnings, .warning = true});
    if (auto undecided = undecided_texts(comparison.operations); !undecided.empty()) {
        elements.emplace_back(page::Paragraph{"Undecided"});
        elements.emplace_back(page::List{.items = std::move(undecided)});
    }
    std::size_t figure = 1;
    for (auto const& group : group_names(comparison)) {
        if (has_groups)
            elements.emplace_back(page::Heading{.level = 1, .text = fmt::format("{}: {}", report.rules.by, group)});
        if (has_sizes(comparison))
            elements.emplace_back(operations_table(comparison, group, report.rules));
        add_points(elements, report, group);
        for (auto& ratios : ratio_figures(comparison.points, group, report.rules, figure))
            elements.emplace_back(std::move(ratios));
    }
    if (auto legend = legend_of_marks(comparison); !legend.empty())
        elements.emplace_back(page::Paragraph{std::move(legend)});
    if (!comparison.means.empty())
        elements.emplace_back(means_table(comparison.means, has_groups));
    if (!comparison.missing.empty())
        elements.emplace_back(missing_table(comparison.missing));
    return document;
}

page::Document compare_page(CompareReport const& report) {
    constexpr std::size_t most_tiles = 6;
    auto document = compare_document(report);
    auto operations = report.comparison.operations;
    std::stable_sort(operations.begin(), operations.end(), goes_before);
    page::Tiles tiles;
    for (auto const& operation : operations)
        if (tiles.tiles.size() < most_tiles && (operation.verdict != Verdict::one_launch || report.rules.single))
            tiles.tiles.push_back(tile_of(operation, operations));
    if (!tiles.tiles.empty())
        document.elements.insert(document.elements.begin(), std::move(tiles));
    return document;
}

}  // namespace measure::tool
