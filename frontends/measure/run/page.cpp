// SPDX-License-Identifier: BSD-3-Clause
#include "run/page.hpp"

#include "analysis/runs/meaning.hpp"
#include "analysis/runs/merged.hpp"
#include "analysis/runs/series.hpp"
#include "compare/report.hpp"
#include "page/columns.hpp"
#include "report/report.hpp"
#include "run/sweep.hpp"
#include "shared/plain_text.hpp"

#include <measure/report.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool::runs {

namespace {

using page::Tone;

constexpr std::size_t most_tiles = 6;
constexpr std::size_t fewest_tiles = 4;

Tone tone_of(std::optional<ComparedPoint> const& change) {
    if (!change)
        return Tone::plain;
    return change->verdict == Verdict::slower   ? Tone::bad
           : change->verdict == Verdict::faster ? Tone::good
                                                : Tone::plain;
}

/// The size that a tile shows: the smallest, for bandwidths the largest.
AnswerCell const& tile_cell(AnswerRow const& row) {
    return has_bandwidth(row.operation) ? row.cells.back() : row.cells.front();
}

/// "SLOWER +20 (18..22)%". \param is_rate  show the change of the rate instead of the time
std::string change_words(ComparedPoint const& change, bool is_rate) {
    return fmt::format("{} {}", word(change), change_text(is_rate ? of_rates(change) : change));
}

void add_change(page::Tile& tile, std::optional<ComparedPoint> const& change, bool is_rate) {
    if (!change)
        return;
    tile.word = change_words(*change, is_rate);
    tile.tone = tone_of(change);
}

/// A value, the value of side B, and the change at this size. \param cell  cell of the row, must have an estimate
page::Tile tile_of(AnswerRow const& row, AnswerCell const& cell, Answer const& answer) {
    auto const shown = shown_value(row.operation, cell, ranks_of(answer));
    measure::UnitText const unit{shown.quantity, shown.value};
    page::Tile tile{.label = row.operation, .number = fmt::format("{} {}", unit.text(shown.value), unit.unit())};
    if (cell.bytes > 0)
        tile.label += " " + measure::text_bytes(cell.bytes);
    if (shown.interval)
        tile.error = fmt::format("+- {:.1f} %", margin(shown.value, *shown.interval) / shown.value * 100);
    if (answer.is_beside && cell.change)
        tile.error += fmt::format("{}B: {}", tile.error.empty() ? "" : "; ",
                                  other_value_text(row.operation, cell, ranks_of(answer)));
    add_change(tile, cell.change, has_bandwidth(row.operation));
    return tile;
}
page::Tile rate_tile(std::string_view label, std::string number, AnswerRate const& rate) {
    page::Tile tile{.label = fmt::format("{} {}", label, measure::text_bytes(rate.bytes)), .number = std::move(number)};
    if (rate.margin)
        tile.error = fmt::format("+- {:.1f} %", *rate.margin * 100);
    return tile;
}

/// Fills up the tiles with further sizes if there are few operations.
void add_other_sizes(std::vector<page::Tile>& tiles, Answer const& answer) {
    for (auto const& row : answer.rows)
        for (auto cell = row.cells.rbegin(); cell != row.cells.rend(); ++cell)
            if (tiles.size() < fewest_tiles && &*cell != &tile_cell(row) && cell->estimate)
                tiles.push_back(tile_of(row, *cell, answer));
}

page::Tiles tiles_of(Answer const& answer) {
    std::vector<page::Tile> tiles;
    if (auto const& rate = answer.bandwidth)
        tiles.push_back(rate_tile("bandwidth", fmt::format("{:.3g} GB/s", rate->value / 1e9), *rate));
    if (auto const& rate = answer.message_rate)
        tiles.push_back(rate_tile("message rate", fmt::format("{:.3g} M/s", rate->value / 1e6), *rate));
    // Bandwidth and rate come from one test, so the change is shown only once.
    if (!tiles.empty())
        add_change(tiles.front(), answer.stream_change, true);
    for (auto const& row : answer.rows)
        if (tiles.size() < most_tiles && tile_cell(row).estimate) {
            tiles.push_back(tile_of(row, tile_cell(row), answer));
        }
    add_other_sizes(tiles, answer);
    return {.tiles = std::move(tiles)};
}

/// The values of side B for an operation.
page::Curve curve_of_other(AnswerRow const& row, int ranks) {
    page::Curve curve{.label = row.operation + ", B"};
    for (auto const& cell : row.cells)
        if (cell.estimate && cell.change && cell.bytes > 0) {
            AnswerCell const other{.bytes = cell.bytes, .estimate = measure::Estimate{.value = cell.change->b}};
            curve.points.push_back(
                {.x = static_cast<double>(cell.bytes), .y = shown_value(row.operation, other, ranks).value});
        }
    return curve;
}

/// Adds a curve with a band for each operation that has several sizes; with two sides, a second curve for B.
/// \param bandwidths  add the operations on memory and files, otherwise all others
void add_curves(page::Plot& plot, Answer const& answer, bool bandwidths) {
    for (auto const& row : answer.rows) {
        if (has_bandwidth(row.operation) != bandwidths)
            continue;
        page::Curve curve{.label = row.operation + (answer.is_beside ? ", A" : "")};
        for (auto const& cell : row.cells)
            if (cell.estimate && cell.bytes > 0) {
                auto const x = static_cast<double>(cell.bytes);
                auto const shown = shown_value(row.operation, cell, ranks_of(answer));
                curve.points.push_back({.x = x, .y = shown.value});
                if (shown.interval)
                    curve.band.push_back({x, shown.interval->first, shown.interval->second});
            }
        if (curve.points.size() > 1)
            plot.curves.push_back(std::move(curve));
        if (auto other = curve_of_other(row, ranks_of(answer)); answer.is_beside && other.points.size() > 1)
            plot.curves.push_back(std::move(other));
    }
}

/// Time over size for the MPI operations.
page::Figure times_figure(Answer const& answer) {
    page::Plot plot{.stem = "times",
                    .title = "time over message size",
                    .x = {.label = "message size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "time", .log = true, .unit = page::Unit::seconds}};
    add_curves(plot, answer, false);
    return {
        .plot = std::move(plot), .caption = "Median over launches, with its 95 % interval.", .notes = {}, .data = {}};
}

/// Bandwidth over size for memory and files.
page::Figure bandwidths_figure(Answer const& answer) {
    page::Plot plot{.stem = "bandwidths",
                    .title = "bandwidth over size",
                    .x = {.label = "size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "bandwidth", .log = true, .unit = page::Unit::bytes_per_second}};
    add_curves(plot, answer, true);
    return {.plot = std::move(plot),
            .caption = "All ranks together: median over launches, with its 95 % interval.",
            .notes = {},
            .data = {}};
}

/// Ratios B over A: this run over the earlier one, or the second side over the first.
page::Figure ratio_figure(Answer const& answer) {
    auto const& comparison = *answer.comparison;
    page::Plot plot{.stem = "ratios",
                    .title = "ratio B over A",
                    .x = {.label = "message size", .log = true, .unit = page::Unit::bytes},
                    .y = {.label = "ratio of times"}};
    std::pair<double, double> range{1e100, 0};
    for (auto const& point : comparison.points) {
        auto const bytes = integer_at(point.point.at, "bytes").value_or(0);
        if (bytes <= 0 || point.point.benchmark == stream_test)
            continue;
        auto curve = std::find_if(plot.curves.begin(), plot.curves.end(),
                                  [&](auto const& each) { return each.label == point.point.benchmark; });
        if (curve == plot.curves.end())
            curve = plot.curves.insert(plot.curves.end(), {.label = point.point.benchmark});
        auto const x = static_cast<double>(bytes);
        curve->points.push_back({.x = x, .y = point.ratio, .interval = point.interval});
        range = {std::min(range.first, x), std::max(range.second, x)};
    }
    for (auto& curve : plot.curves)
        std::sort(curve.points.begin(), curve.points.end(), [](auto const& a, auto const& b) { return a.x < b.x; });
    if (!plot.curves.empty())
        plot.curves.push_back({.label = "equal",
                               .points = {{.x = range.first, .y = 1}, {.x = range.second, .y = 1}},
                               .shape = page::Shape::line});
    return {.plot = std::move(plot),
            .caption =
                answer.is_beside
                    ? fmt::format("B ({}) over A (the command unchanged): B is slower where the ratio is above 1.",
                                  answer.opponent)
                    : fmt::format("B (this run) over A ({}): B is slower where the ratio is above 1.", answer.opponent),
            .notes = {},
            .data = {}};
}

/// One operation at one size, as a row of the table of values.
struct SizeRow {
    std::string const& operation;
    AnswerCell const& cell;
    std::optional<ShownValue> shown{};  ///< set if there is an estimate

    [[nodiscard]] measure::UnitText unit() const { return {shown->quantity, shown->value}; }
};

/// Table of values, intervals and, in a comparison, changes.
page::Table values_table(Answer const& answer) {
    int const ranks = ranks_of(answer);
    std::vector<SizeRow> rows;
    for (auto const& row : answer.rows)
        for (auto const& cell : row.cells)
            rows.push_back({row.operation, cell,
                            cell.estimate ? std::optional{shown_value(row.operation, cell, ranks)} : std::nullopt});
    page::Columns<SizeRow> columns{
        {"operation", [](SizeRow const& row) { return row.operation; }},
        {"size", [](SizeRow const& row) { return row.cell.bytes > 0 ? measure::text_bytes(row.cell.bytes) : ""; }},
        {answer.is_beside ? "A" : "value",
         [](SizeRow const& row) {
             return row.shown ? fmt::format("{} {}", row.unit().text(row.shown->value), row.unit().unit()) : "-";
         }},
        {"interval", [](SizeRow const& row) {
             auto const& interval = row.shown ? row.shown->interval : std::nullopt;
             return interval
                        ? fmt::format("{} .. {}", row.unit().text(interval->first), row.unit().text(interval->second))
                        : "";
         }}};
    if (answer.is_beside)
        columns.push_back({"B", [=](SizeRow const& row) {
                               return row.cell.change ? other_value_text(row.operation, row.cell, ranks) : "";
                           }});
    if (answer.comparison)
        columns.push_back({answer.is_beside ? "B over A" : "change", [](SizeRow const& row) {
                               return row.cell.change ? change_words(*row.cell.change, has_bandwidth(row.operation))
                                                      : "";
                           }});
    columns.insert(columns.end(), {{"launches", [](SizeRow const& row) { return std::to_string(row.cell.launches); }},
                                   {"remarks", [](SizeRow const& row) {
                                        return row.cell.disagrees ? "launches disagree" : row.cell.message;
                                    }}});
    return page::table_of({.caption = "Median over launches, with its 95 % interval in this run", .row_headings = true},
                          rows, columns);
}

void add_comparison(page::Document& document, Answer const& answer) {
    CompareReport const report{.a = answer.is_beside ? answer.compared : answer.others,
                               .b = answer.is_beside ? answer.others : answer.compared,
                               .comparison = *answer.comparison};
    document.add({.title = fmt::format("Compared with {}{}", answer.opponent,
                                       answer.machine_changed ? ", on a machine that has changed" : ""),
                  .elements = compare_document(report).elements,
                  .fold = page::Fold::closed});
}

Series series_from(std::string label, std::vector<Launch> const& launches, std::vector<measure::Record> points = {}) {
    Series series{.label = std::move(label), .points = std::move(points)};
    for (auto const& launch : launches)
        series.launches.push_back(&launch);
    return series;
}

/// The environment of this run and of its opponent, and warnings about the points.
void add_environment(page::Document& document, Answer const& answer) {
    std::vector<Series> series;
    series.push_back(series_from(answer.is_beside ? "A" : "this run", answer.used, answer.merged));
    auto warnings = warnings_section(series, {});
    if (answer.comparison)
        series.push_back(series_from(answer.is_beside ? "B" : answer.opponent, answer.others));
    auto environment = environment_section(series);
    for (auto* const section : {&environment, &warnings}) {
        section->fold = page::Fold::closed;
        document.add(std::move(*section));
    }
}

}  // namespace

page::Document page_of(Answer const& answer, ScreenNotes const& notes) {
    page::Document document{.title = answer.machine};
    auto& elements = document.elements;
    auto const& run = answer.used.front().record.run;
    elements.emplace_back(page::Paragraph{
        fmt::format("{}, {}. Trust: {}{}{}", run.started.substr(0, 10), counted(answer.launches, "launch", "launches"),
                    name(answer.trust), answer.doubts.empty() ? "" : ": ", fmt::join(answer.doubts, "; "))});
    elements.emplace_back(tiles_of(answer));
    for (auto& figure : {times_figure(answer), bandwidths_figure(answer)})
        if (page::has_points(figure.plot))
            elements.emplace_back(figure);
    if (answer.comparison)
        elements.emplace_back(ratio_figure(answer));
    page::Section findings{.title = "Findings"};
    auto lines = findings_of(answer);
    lines.insert(lines.end(), notes.notes.begin(), notes.notes.end());
    for (auto const& warning : notes.warnings)
        lines.push_back("Disturbing: " + warning);
    findings.elements.emplace_back(page::List{.items = std::move(lines)});
    document.add(std::move(findings));
    document.add({.title = "Values", .elements = {values_table(answer)}, .fold = page::Fold::closed});
    if (answer.comparison)
        add_comparison(document, answer);
    page::List disturbed;
    for (auto const& one : answer.disturbed)
        disturbed.items.push_back(
            fmt::format("{}launch {}: {}", answer.is_beside ? "A, " : "", one.launch + 1, one.text));
    for (auto const& one : answer.disturbed_b)
        disturbed.items.push_back(fmt::format("B, launch {}: {}", one.launch + 1, one.text));
    if (!disturbed.items.empty())
        document.add({.title = "Disturbed launches", .elements = {std::move(disturbed)}, .fold = page::Fold::closed});
    page::List commands{.items = {fmt::format("{}", fmt::join(run.command, " "))}};
    document.add({.title = "Command of a launch", .elements = {std::move(commands)}, .fold = page::Fold::closed});
    add_environment(document, answer);
    return document;
}

}  // namespace measure::tool::runs
