// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/core/text.hpp"
#include "analysis/runs/common_terms.hpp"
#include "report/report.hpp"
#include "shared/plots.hpp"

#include <measure/launches.hpp>
#include <measure/not_known.hpp>
#include <measure/report.hpp>
#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace measure::tool {

namespace {

using measure::Record;
using Labelled = std::pair<std::string, Record const*>;

/// The largest number of points per curve that a picture can show.
constexpr std::size_t most_points = 600;
/// Longer tables are folded.
constexpr std::size_t longest_table = 40;
/// Further benchmarks are folded, with their plots.
constexpr std::size_t most_open_benchmarks = 12;

/// "converged: interval". The stop reason is left out if it repeats the verdict.
std::string stop_text(Record const& record) {
    std::string text{measure::name(record.status)};
    if (record.value && !record.stop_reason.empty() && record.stop_reason != text)
        text.append(": ").append(record.stop_reason);
    return text;
}

std::string marks_of(Record const& record) {
    std::vector<std::string> parts = record.flags;
    if (!record.message.empty())
        parts.push_back(record.message);
    if (double const overhead = -measure::moved_by(record).value_or(0); overhead != 0)
        parts.push_back(fmt::format("an overhead of {} was subtracted", measure::text(measure::seconds{overhead})));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string valid_text(Record const& record) {
    auto const text = measure::samples_text(record, " of ");
    return measure::is_merged(record) ? fmt::format("{} in {} launches", text, measure::launches_with_value(record))
                                      : text;
}

std::vector<std::string> coordinates_of(std::span<Labelled const> points) {
    std::vector<std::string> names;
    for (auto const& [label, record] : points)
        for (auto const& name : record->at.names())
            detail::add_once(names, name);
    return names;
}

/// The points of a benchmark from all series.
struct Group {
    std::string benchmark;
    std::vector<Labelled> points{};
};

std::vector<Group> groups_of(std::span<Series const> series) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> places;
    for (auto const& one : series)
        for (auto const& record : one.points) {
            auto const [place, is_new] = places.try_emplace(record.benchmark, groups.size());
            if (is_new)
                groups.push_back({record.benchmark});
            groups[place->second].points.emplace_back(one.label, &record);
        }
    return groups;
}

/// Number of values in a plot, and how many of them lack an interval. Such values would look too certain.
std::pair<std::size_t, std::size_t> without_interval(page::Plot const& plot) {
    std::size_t values = 0;
    std::size_t without = 0;
    for (auto const& curve : plot.curves)
        for (auto const& point : curve.points)
            if (page::can_be_drawn(plot, point)) {
                ++values;
                without += point.interval ? 0U : 1U;
            }
    return {values, without};
}

/// Whether a curve has points at several places. Otherwise a plot shows no more than the table.
bool has_course(page::Plot const& plot) {
    return std::any_of(plot.curves.begin(), plot.curves.end(), [](page::Curve const& curve) {
        return std::any_of(curve.points.begin(), curve.points.end(),
                           [&](auto const& p) { return p.x != curve.points.front().x; });
    });
}

/// Notes on what the picture leaves out and on limits of its data.
std::string notes_of(page::Plot const& plot, std::size_t curves, std::size_t dropped,
                     std::vector<std::string> const& differing) {
    std::vector<std::string> notes;
    if (!differing.empty())
        notes.push_back(fmt::format("Curves join runs that differ in {}.", fmt::join(differing, ", ")));
    if (auto const [values, without] = without_interval(plot); without > 0)
        notes.push_back(without == values ? "No value has an interval."
                                          : fmt::format("{} of {} values have no interval.", without, values));
    if (auto cut = cut_intervals_text(plot); !cut.empty())
        notes.push_back(std::move(cut));
    if (curves > plot.curves.size())
        notes.push_back(fmt::format("{} of {} curves are drawn, chosen evenly; the table has all numbers.",
                                    plot.curves.size(), curves));
    if (dropped > 0)
        notes.push_back(fmt::format("{} points are not drawn.", dropped));
    std::size_t zeros = 0;
    std::size_t extremes = 0;
    for (auto const& curve : plot.curves)
        for (auto const& point : curve.points)
            if (!page::can_be_drawn(plot, point))
                ++(point.x == 0 || point.y == 0 ? zeros : extremes);
    auto const points = [](std::size_t n) { return n == 1 ? "1 point is" : fmt::format("{} points are", n); };
    if (zeros > 0)
        notes.push_back(fmt::format("{} not drawn: a logarithmic axis has no zero.", points(zeros)));
    if (extremes > 0)
        notes.push_back(fmt::format("{} too large or too small to be drawn.", points(extremes)));
    return fmt::format("{}", fmt::join(notes, " "));
}

/// Makes figures until the permitted number of plots is reached.
class Figures {
public:
    explicit Figures(ReportSettings const& settings) : settings_{settings} {}

    void add(std::vector<page::Element>& to, page::Plot plot, std::string const& caption, std::string const& stem,
             std::vector<std::string> const& differing) {
        if (!page::has_points(plot) || !has_course(plot))
            return;
        if (made_ >= settings_.most_plots) {
            ++left_out_;
            return;
        }
        ++made_;
        std::size_t const dropped = thin_out(plot, most_points);
        std::size_t const curves = limit_curves(plot, settings_.most_curves);
        plot.stem = fmt::format("{:02}-{}", made_, slug(stem));
        auto notes = notes_of(plot, curves, dropped, differing);
        to.emplace_back(page::Figure{.plot = std::move(plot), .caption = caption, .notes = std::move(notes)});
    }

    [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

private:
    ReportSettings const& settings_;
    std::size_t made_ = 0;
    std::size_t left_out_ = 0;
};

/// ", at a confidence of 95 %", as recorded in the points.
std::string confidence_text(std::span<Series const> series) {
    std::set<double> levels;
    for (auto const& one : series)
        for (auto const& record : one.points)
            if (interval_of(record))
                levels.insert(record.estimate->confidence);
    std::vector<std::string> texts;
    for (double const level : levels)
        texts.push_back(fmt::format("{:.4g} %", 100 * level));
    return texts.empty() ? "" : fmt::format(", at a confidence of {}", fmt::join(texts, " or "));
}

/// \param stem  prefix of the pictures' file names
void add_figures(std::vector<page::Element>& to, Family const& family, Figures& figures, std::string_view stem = {}) {
    auto plot = plot_of(family);
    auto const over = plot.x.label;
    auto const what = plot.y.label;
    figures.add(to, std::move(plot), fmt::format("The {} over {}, with intervals if known.", what, over),
                fmt::format("{}{}-{}-over-{}", stem, family.benchmark, what, over), family.differing);
    if (auto rate = size_over_time(family); !rate.curves.empty())
        figures.add(to, std::move(rate),
                    "Size over time: the benchmark's size per second. The data actually moved may be a multiple of it, "
                    "or none.",
                    fmt::format("{}{}-bandwidth-over-size", stem, family.benchmark), family.differing);
}

}  // namespace

page::Table points_table(std::span<Labelled const> points, bool with_labels) {
    auto const names = coordinates_of(points);
    page::Table table;
    if (with_labels)
        table.columns.emplace_back("run");
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    for (char const* const column : {"value", "unit", "+-", "interval", "valid samples", "verdict", "remarks"})
        table.columns.emplace_back(column);
    for (auto const& [label, record] : points) {
        std::vector<page::Cell> row;
        if (with_labels)
            row.emplace_back(label);
        for (auto const& name : names)
            row.emplace_back(coordinate_at(*record, name));
        add_numbers(*record, row);
        row.emplace_back(valid_text(*record));
        row.emplace_back(stop_text(*record), record->status != measure::PointStatus::converged);
        row.emplace_back(marks_of(*record), !record->flags.empty());
        table.rows.push_back(std::move(row));
    }
    return table;
}

page::Section programs_section(std::span<Series const> series, ReportSettings const& settings) {
    auto const operations = common_operations(series);
    page::Section section{.title = "Operations measured by several programs"};
    if (operations.empty())
        return section;
    section.elements.emplace_back(
        page::Paragraph{"Each curve is a benchmark of a program, with its method in brackets. All times are for one "
                        "operation and all sizes for one block, regardless of what the program prints: rates are "
                        "inverted, and round trips are halved. The programs' own numbers are under Results."});
    Figures figures{settings};
    std::size_t open = 0;
    for (auto const& [name, members, methods] : operations) {
        auto& to = section.elements;
        to.emplace_back(page::Heading{2, name, open++ < most_open_benchmarks ? page::Fold::open : page::Fold::closed});
        if (auto const differing = differing_methods(methods); !differing.empty())
            to.emplace_back(
                page::List{.items = {fmt::format(
                               "The methods differ: {}. This may cause differences between the curves.", differing)},
                           .warning = true});
        for (auto const& family : families(members))
            add_figures(to, family, figures, "programs-");
        std::vector<Labelled> points;
        for (auto const& member : members)
            for (auto const& record : member.points)
                points.emplace_back(member.label, &record);
        if (points.size() > longest_table)
            to.emplace_back(page::Heading{3, fmt::format("{} points", points.size()), page::Fold::closed});
        to.emplace_back(points_table(points, true));
    }
    if (figures.left_out() > 0)
        section.elements.emplace_back(
            page::Paragraph{fmt::format("{} further plots are not drawn.", figures.left_out())});
    return section;
}

page::Section results_section(std::span<Series const> series, ReportSettings const& settings) {
    page::Section section{.title = "Results"};
    auto const groups = groups_of(series);
    if (groups.empty())
        return section;
    section.elements.emplace_back(page::Heading{3, "What the columns mean", page::Fold::closed});
    section.elements.emplace_back(page::Paragraph{fmt::format(
        "Each row is a point. Value: the mean of the samples unless the program's documentation states otherwise, or "
        "the median over launches if these are joined. +-: the standard error of that mean, or half the width of the "
        "68 % interval of that median. Interval: the interval of the value{}. Valid samples: number of valid "
        "samples, out of all samples taken. Verdict: the result and the stop reason; \"converged\" means that the "
        "requested rule is met, "
        "\"exhausted\" that a limit was reached first. A dash means that the record has no such number.",
        confidence_text(series))});
    auto const all = families(series);
    Figures figures{settings};
    std::size_t open = 0;
    for (auto const& group : groups) {
        auto& to = section.elements;
        to.emplace_back(
            page::Heading{2, group.benchmark, open++ < most_open_benchmarks ? page::Fold::open : page::Fold::closed});
        for (auto const& family : all)
            if (family.benchmark == group.benchmark)
                add_figures(to, family, figures);
        if (group.points.size() > longest_table)
            to.emplace_back(page::Heading{3, fmt::format("{} points", group.points.size()), page::Fold::closed});
        to.emplace_back(points_table(group.points, series.size() > 1));
    }
    if (figures.left_out() > 0)
        section.elements.insert(
            section.elements.begin(),
            page::Paragraph{fmt::format("{} of {} plots are drawn, beginning with the first benchmark; use --filter to "
                                        "choose others. The tables have all numbers.",
                                        settings.most_plots, settings.most_plots + figures.left_out())});
    return section;
}

}  // namespace measure::tool
