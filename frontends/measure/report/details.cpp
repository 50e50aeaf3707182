// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <measure/report.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace measure::tool {

namespace {

using measure::Record;

/// Sections that explain numbers may be incomplete.
constexpr std::size_t longest_list = 20;

std::string name_of(Record const& record) {
    auto const at = record.at.text();
    return at.empty() ? record.benchmark : record.benchmark + " " + at;
}

/// (largest - smallest) / mean over ranks; nullopt if there is only one rank. \param world  ranks of the run
std::optional<double> spread(Record const& record, int world) {
    if (!record.over_ranks || number(record, "ranks").value_or(world) < 2)
        return std::nullopt;
    auto const& over = *record.over_ranks;
    double const value = (over.max - over.min) / over.mean;
    return std::isfinite(value) && over.mean > 0 ? std::optional{value} : std::nullopt;
}

struct Spread {
    Record const* record;
    std::string const* label;
    double value;
};

page::Table spread_table(std::vector<Spread> const& all, bool with_labels) {
    page::Table table{.caption = all.size() > longest_list
                                     ? fmt::format("The {} points with the largest spread over ranks, of {}",
                                                   longest_list, all.size())
                                     : "Points by spread over ranks, largest first",
                      .columns = {"point", "smallest", "mean", "largest", "unit", "spread"}};
    if (with_labels)
        table.columns.insert(table.columns.begin(), "run");
    for (auto const& [record, label, value] : std::span{all}.first(std::min(all.size(), longest_list))) {
        auto const& over = *record->over_ranks;
        measure::UnitText const unit{record->quantity, over.mean};
        std::vector<page::Cell> row{name_of(*record),         unit.text(over.min),
                                    unit.text(over.mean),     unit.text(over.max),
                                    std::string{unit.unit()}, fmt::format("{:.1f} %", 100 * value)};
        if (with_labels)
            row.insert(row.begin(), *label);
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Bars with the mean of each rank, for a point that has these means.
/// \param point  name of the point, with its run if there are several
std::optional<page::Figure> ranks_figure(Record const& record, std::string const& point, std::size_t number) {
    auto const* const list = record.derived.get<measure::Value::Array>("by_rank");
    if (list == nullptr || list->size() < 2)
        return std::nullopt;
    page::Plot plot{.stem = fmt::format("ranks-{:02}-{}", number, slug(record.benchmark)),
                    .title = point,
                    .x = {.label = "rank"},
                    .y = {.label = "mean of the rank", .unit = page::unit_of(record.quantity)},
                    .bars = true,
                    .curves = {{}}};
    measure::UnitText const unit{record.quantity, record.value.value_or(0)};
    page::Table data{.columns = {"rank", "valid samples", "mean", "+-", "smallest", "largest", "unit"}};
    double place = 0;
    for (auto const& entry : *list) {
        auto const mean = entry.number({"mean"});
        auto const rank = entry.number({"rank"}).value_or(place++);
        if (!mean)
            continue;
        auto const error = entry.number({"standard_error"});
        plot.curves[0].points.push_back(
            {rank, *mean, error ? std::optional{measure::Interval{*mean - *error, *mean + *error}} : std::nullopt});
        std::vector<page::Cell> row{fmt::format("{:g}", rank)};
        auto const valid = entry.number({"valid"});
        row.emplace_back(valid ? fmt::format("{:g}", *valid) : "-");
        for (char const* const name : {"mean", "standard_error", "min", "max"}) {
            auto const value = entry.number({name});
            row.emplace_back(value ? unit.text(*value) : "-");
        }
        row.emplace_back(std::string{unit.unit()});
        data.rows.push_back(std::move(row));
    }
    if (data.rows.empty())
        return std::nullopt;
    return page::Figure{
        .plot = std::move(plot),
        .caption = fmt::format(
            "{}: mean of each rank's valid samples; the lines extend one standard error to either side.", point),
        .data = std::move(data)};
}

}  // namespace

page::Section ranks_section(std::span<Series const> series, ReportSettings const& settings) {
    page::Section section{.title = "Spread over ranks"};
    std::vector<Spread> all;
    std::vector<page::Figure> figures;
    std::size_t with_bars = 0;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            if (auto const value = spread(record, one.run().ranks))
                all.push_back({&record, &one.label, *value});
            if (auto figure = ranks_figure(
                    record, series.size() > 1 ? one.label + ": " + name_of(record) : name_of(record), with_bars + 1);
                figure && ++with_bars <= settings.most_samples)
                figures.push_back(std::move(*figure));
        }
    if (all.empty() && figures.empty())
        return section;
    std::stable_sort(all.begin(), all.end(), [](Spread const& a, Spread const& b) { return a.value > b.value; });
    if (!all.empty()) {
        section.elements.emplace_back(page::Paragraph{
            "Means of the individual ranks over the samples that give the value. The spread is (largest - smallest) / "
            "mean. A large spread shows that some ranks wait for others or finish earlier."});
        section.elements.emplace_back(spread_table(all, series.size() > 1));
    }
    if (with_bars > figures.size())
        section.elements.emplace_back(page::Paragraph{
            fmt::format("{} of {} points with numbers of each rank are drawn.", figures.size(), with_bars)});
    std::move(figures.begin(), figures.end(), std::back_inserter(section.elements));
    return section;
}

namespace {

std::string duration(std::optional<double> const& seconds) {
    return seconds && std::isfinite(*seconds) ? measure::text(measure::seconds{*seconds}) : "-";
}

void add_clock_rows(page::Table& table, std::span<Series const> clocked) {
    auto const add = [&](char const* name, auto text) {
        std::vector<page::Cell> row{name};
        for (auto const& one : clocked)
            row.emplace_back(text(*one.run().clock_sync, one.launches.front()->record.end));
        table.rows.push_back(std::move(row));
    };
    using Sync = measure::SyncReport;
    using End = std::optional<measure::EndRecord>;
    add("algorithm", [](Sync const& s, End const&) { return s.algorithm; });
    add("duration", [](Sync const& s, End const&) { return duration(s.duration); });
    add("bound (largest guaranteed error of an offset)", [](Sync const& s, End const&) { return duration(s.bound); });
    add("largest offset", [](Sync const& s, End const&) { return duration(s.offset_max); });
    add("round trips: smallest, median, largest", [](Sync const& s, End const&) {
        return fmt::format("{}, {}, {}", duration(s.rtt_min), duration(s.rtt_median), duration(s.rtt_max));
    });
    add("closure of the ring", [](Sync const& s, End const&) {
        return s.closure ? fmt::format("{} (bound {})", duration(s.closure), duration(s.closure_bound)) : "-";
    });
    add("drift", [](Sync const& s, End const&) { return s.drift ? fmt::format("{:.3g} ppm", *s.drift) : "-"; });
    add("uncertainty of offsets", [](Sync const& s, End const&) { return duration(s.uncertainty); });
    add("pairs; pairs with long round trips",
        [](Sync const& s, End const&) { return fmt::format("{}; {}", s.edges, s.poor); });
    add("consistent", [](Sync const& s, End const&) { return std::string{s.consistent ? "yes" : "no"}; });
    add("residual at the end: largest; root mean square", [](Sync const&, End const& end) {
        return end ? fmt::format("{}; {}", duration(end->clock_sync_residual), duration(end->clock_sync_residual_rms))
                   : "-";
    });
}

/// The errors found when the offsets were measured again after each point.
std::optional<page::Figure> residual_figure(std::span<Series const> series) {
    page::Plot plot{.stem = "clocks",
                    .title = "Error of the clocks after each point",
                    .x = {.label = "point, in the order measured"},
                    .y = {.label = "error", .unit = page::Unit::seconds}};
    constexpr std::size_t most_runs = 4;
    std::size_t style = 0;
    std::size_t runs = 0;
    for (auto const& one : series) {
        std::string const label = series.size() > 1 ? one.label + ": " : std::string{};
        page::Curve found{.label = label + "residual found", .shape = page::Shape::points, .style = style};
        page::Curve bound{.label = label + "guaranteed bound", .shape = page::Shape::line, .style = style};
        double place = 0;
        for (auto const& record : one.launches.front()->record.points) {
            ++place;
            if (auto const value = record.derived.number({"sync", "residual"}))
                found.points.push_back({place, *value});
            if (auto const value = record.derived.number({"sync", "bound"}))
                bound.points.push_back({place, *value});
        }
        if (found.points.size() < 2 || ++runs > most_runs)
            continue;
        ++style;
        plot.curves.push_back(std::move(found));
        if (!bound.points.empty())
            plot.curves.push_back(std::move(bound));
    }
    if (plot.curves.empty())
        return std::nullopt;
    constexpr std::size_t most_points = 1000;
    std::vector<std::string> notes;
    if (runs > most_runs)
        notes.push_back(fmt::format("{} of {} runs are drawn.", most_runs, runs));
    if (std::size_t const dropped = thin_out(plot, most_points); dropped > 0)
        notes.push_back(fmt::format("{} points are not drawn.", dropped));
    if (std::any_of(series.begin(), series.end(), [](Series const& one) { return one.launches.size() > 1; }))
        notes.emplace_back("For joined launches, the first launch is shown.");
    return page::Figure{.plot = std::move(plot),
                        .caption = "Largest error of a clock offset over ranks, found by comparing the clocks again "
                                   "after each point, and the guaranteed bound of this error.",
                        .notes = fmt::format("{}", fmt::join(notes, " "))};
}

}  // namespace

page::Section clocks_section(std::span<Series const> series) {
    page::Section section{.title = "Clocks"};
    std::vector<Series> clocked;
    for (auto const& one : series)
        if (one.run().clock_sync)
            clocked.push_back({.label = one.label, .launches = one.launches});
    if (clocked.empty())
        return section;
    page::Table table{.columns = {""}, .row_headings = true};
    for (auto const& one : clocked)
        table.columns.push_back(one.launches.size() > 1 ? one.label + ", first launch" : one.label);
    add_clock_rows(table, clocked);
    for (auto& part : in_columns(table))
        section.elements.emplace_back(std::move(part));
    if (auto figure = residual_figure(clocked))
        section.elements.emplace_back(std::move(*figure));
    return section;
}

}  // namespace measure::tool
