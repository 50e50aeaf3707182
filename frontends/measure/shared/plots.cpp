// SPDX-License-Identifier: BSD-3-Clause
#include "shared/plots.hpp"

#include <measure/launches.hpp>
#include <measure/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace measure::tool {

namespace {

/// Whether the largest value is at least `ratio` times the smallest positive value, and no value is negative.
bool is_wide(std::vector<double> const& values, double ratio) {
    double low = 0;
    double high = 0;
    for (double const value : values) {
        if (value < 0)
            return false;
        if (value > 0 && (low == 0 || value < low))
            low = value;
        high = std::max(high, value);
    }
    return low > 0 && high / low >= ratio;
}

void choose_scales(page::Plot& plot) {
    std::vector<double> xs;
    std::vector<double> ys;
    for (auto const& curve : plot.curves)
        for (auto const& point : curve.points) {
            xs.push_back(point.x);
            ys.push_back(point.y);
        }
    plot.x.log = is_wide(xs, 10);
    plot.y.log = is_wide(ys, 10);
}

/// A coordinate as an axis: "size", "processes", "chunks".
page::Axis axis_of(std::string_view coordinate) {
    if (coordinate == "bytes")
        return {.label = "size", .unit = page::Unit::bytes};
    return {.label = coordinate == "ranks" ? "processes" : std::string{coordinate}};
}

}  // namespace

void add_numbers(Record const& record, std::vector<page::Cell>& row) {
    if (!record.value) {
        row.insert(row.end(), {page::Cell{"-", true}, "", "-", "-"});
        return;
    }
    UnitText const unit{record.quantity, *record.value};
    auto const own = estimate_to_show(record);
    auto const interval = interval_of(record);
    row.insert(row.end(),
               {unit.text(*record.value), std::string{unit.unit()},
                own && own->standard_error ? unit.error_text(*own->standard_error) : "-",
                interval ? fmt::format("{} .. {}", unit.text(interval->first), unit.text(interval->second)) : "-"});
}

page::Plot plot_of(Family const& family) {
    page::Plot plot{.title = family.common.empty() ? family.benchmark
                                                   : fmt::format("{} ({})", family.benchmark, family.common),
                    .x = axis_of(family.x),
                    .y = {.label = family.quantity == Quantity::flops ? "speed" : std::string{name(family.quantity)},
                          .unit = page::unit_of(family.quantity)}};
    for (auto const& curve : family.curves) {
        plot.curves.push_back({.label = curve.label});
        for (auto const& [x, record] : curve.points)
            plot.curves.back().points.push_back({x, *record->value, interval_of(*record)});
    }
    choose_scales(plot);
    return plot;
}

page::Plot size_over_time(Family const& family) {
    auto plot = plot_of(family);
    plot.y = {.label = "size / time", .unit = page::Unit::bytes_per_second};
    if (family.quantity != Quantity::time || family.x != "bytes")
        plot.curves.clear();
    for (auto& curve : plot.curves) {
        std::erase_if(curve.points, [](page::PlotPoint const& p) { return !(p.x > 0 && p.y > 0); });
        for (auto& [x, y, interval, marked] : curve.points) {
            y = x / y;
            if (interval && interval->second > 0)  // if the time may be zero, the rate has no upper limit
                interval =
                    Interval{x / interval->second,
                             interval->first > 0 ? x / interval->first : std::numeric_limits<double>::infinity()};
            else
                interval.reset();
        }
    }
    std::erase_if(plot.curves, [](page::Curve const& curve) { return curve.points.empty(); });
    choose_scales(plot);
    return plot;
}

std::string cut_intervals_text(page::Plot const& plot) {
    auto const [low, high] = page::shown_range(plot);
    std::size_t cut = 0;
    for (auto const& curve : plot.curves)
        for (auto const& point : curve.points)
            if (page::can_be_drawn(plot, point) && point.interval &&
                (point.interval->first < low || point.interval->second > high))
                ++cut;
    if (cut == 0)
        return {};
    return fmt::format("{} outside the plot.", cut == 1 ? "1 interval ends" : fmt::format("{} intervals end", cut));
}

}  // namespace measure::tool
