// SPDX-License-Identifier: BSD-3-Clause
#include "page/axes.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace page {

namespace {

using Range = std::pair<double, double>;

/// Smallest and largest of what is drawn; both 1 where nothing is.
template <class Get>
Range range_of(Plot const& plot, Get get) {
    std::vector<double> values;
    for (Curve const& curve : plot.curves)
        for (PlotPoint const& point : curve.points)
            if (can_be_drawn(plot, point))
                values.push_back(get(point));
    if (values.empty())
        return {1, 1};
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, *high};
}

/// For gnuplot, some versions of which have integers of 32 bits only.
std::string exact(double value) {
    auto text = fmt::format("{:.15g}", value);
    return text.find_first_of(".e") == std::string::npos && std::abs(value) > 1e9 ? text + ".0" : text;
}

struct Scale {
    double size;
    char const* name;
};

constexpr std::array seconds_scales{Scale{1e-9, "ns"}, Scale{1e-6, "µs"}, Scale{1e-3, "ms"}, Scale{1, "s"}};
constexpr std::array byte_rate_scales{Scale{1, "B/s"}, Scale{1e3, "kB/s"}, Scale{1e6, "MB/s"}, Scale{1e9, "GB/s"},
                                      Scale{1e12, "TB/s"}};
constexpr std::array rate_scales{Scale{1, "/s"}, Scale{1e3, "k/s"}, Scale{1e6, "M/s"}, Scale{1e9, "G/s"}};
constexpr std::array flop_scales{Scale{1, "flop/s"}, Scale{1e3, "kflop/s"}, Scale{1e6, "Mflop/s"},
                                 Scale{1e9, "Gflop/s"}, Scale{1e12, "Tflop/s"}};
constexpr std::array plain_scales{Scale{1, ""}};

std::span<Scale const> scales(Unit unit) {
    switch (unit) {
    case Unit::seconds:
        return seconds_scales;
    case Unit::bytes_per_second:
        return byte_rate_scales;
    case Unit::per_second:
        return rate_scales;
    case Unit::flops:
        return flop_scales;
    case Unit::plain:
    case Unit::bytes:
        break;
    }
    return plain_scales;
}

/// The largest scale that leaves at least one in front of the decimal point.
Scale fitting(Unit unit, double value) {
    auto const all = scales(unit);
    Scale best = all.front();
    for (Scale const& scale : all)
        if (std::abs(value) >= scale.size * (1 - 1e-9))
            best = scale;
    return best;
}

std::string bytes_text(double value) {
    constexpr double largest = 9.2e18;  // that is a number of bytes
    return std::abs(value) < largest ? measure::text_bytes(static_cast<measure::Bytes>(value))
                                     : fmt::format("{:g} B", value);
}

/// A tic with a text of its own, where gnuplot's would do without a unit.
std::string tic(Unit unit, double value) {
    if (unit == Unit::plain)
        return fmt::format("{:g}", value);
    if (unit == Unit::bytes)
        return fmt::format("'{}' {}", bytes_text(value), exact(value));
    Scale const scale = fitting(unit, value);
    return fmt::format("'{:g} {}' {}", value / scale.size, scale.name, exact(value));
}

std::string tics_text(char axis, std::vector<std::string> const& tics) {
    return fmt::format("set {}tics ({})\n", axis, fmt::join(tics, ", "));
}

/// The smallest of 1, 2, 5, 10, 20 ... that is not below; for fractions likewise.
double round_step(double at_least) {
    double const decade = std::pow(10.0, std::floor(std::log10(at_least)));
    for (double const digit : {1.0, 2.0, 5.0})
        if (digit * decade >= at_least)
            return digit * decade;
    return 10 * decade;
}

/// About five at equal distances.
std::vector<double> even_steps(Range range) {
    constexpr int parts = 6;
    double const length = range.second - range.first;
    if (!(length > 0) || !std::isfinite(length))
        return {range.first};
    double const step = round_step(length / parts);
    double const first = std::ceil(range.first / step);
    std::vector<double> steps;
    for (int i = 0; i <= parts; ++i)  // counted: a step may be too small to make a sum larger
        if (double const value = (first + i) * step; value <= range.second)
            steps.push_back(value);
    return steps;
}

/// Steps of 1, 2, 5, or all digits for less than a decade, or decades alone for more than four.
std::vector<double> digit_steps(Range range) {
    auto const [low, high] = range;
    bool const narrow = high / low < 10;
    bool const wide = high / low > 1e4;
    int const every = high / low > 1e12 ? 3 : 1;
    std::vector<double> steps;
    for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= std::ceil(std::log10(high)); ++decade)
        for (int digit = 1; digit <= 9; ++digit)
            if (narrow || (digit == 1 && decade % every == 0) || (!wide && (digit == 2 || digit == 5)))
                if (double const value = digit * std::pow(10.0, decade);
                    value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                    steps.push_back(value);
    return steps;
}

std::vector<std::string> texts(Unit unit, std::vector<double> const& values) {
    std::vector<std::string> tics;
    for (double const value : values)
        tics.push_back(tic(unit, value));
    return tics;
}

/// For a logarithmic axis: gnuplot alone labels decades only, and without units.
std::string log_tics(char axis, Unit unit, Range range) {
    constexpr double almost_linear = 5;
    if (unit == Unit::plain && range.second / range.first >= 1000)
        return fmt::format("set format {} '%g'\n", axis);
    return tics_text(axis,
                     texts(unit, range.second / range.first < almost_linear ? even_steps(range) : digit_steps(range)));
}

/// Powers of two, at distances that give about ten of them at most.
std::string power_tics(char axis, Unit unit, Range range) {
    double const octaves = std::log2(range.second / range.first);
    int const step = octaves <= 10 ? 1 : octaves <= 20 ? 2 : 4;
    std::vector<double> powers;
    for (int power = 0; power < 63 && std::ldexp(1.0, power) <= range.second; power += step)
        if (double const value = std::ldexp(1.0, power); value >= range.first)
            powers.push_back(value);
    return tics_text(axis, texts(unit, powers));
}

/// The first few multiples of a power of two, whose names are exact with one decimal; far from zero there are none.
std::string even_byte_tics(char axis, Range range) {
    auto const [low, high] = range;
    double step = 1;
    while (4 * step < high)
        step *= 2;
    std::vector<double> steps;
    if (low > step) {
        std::vector<std::string> tics;
        for (double const value : even_steps(range))
            tics.push_back(fmt::format("'{:.15g} B' {}", value, exact(value)));
        return tics_text(axis, tics);
    }
    for (double value = 0; value <= high; value += step)
        steps.push_back(value);
    return tics_text(axis, texts(Unit::bytes, steps));
}

/// One unit for all tics, named beside the label.
std::string even_tics(char axis, Unit unit, Range range) {
    Scale const scale = fitting(unit, std::max(std::abs(range.first), std::abs(range.second)));
    auto const steps = even_steps(range);
    double const step = steps.size() > 1 ? steps[1] - steps[0] : 0;
    int const digits =
        step > 0
            ? std::clamp(
                  static_cast<int>(std::log10(std::max(std::abs(steps.front()), std::abs(steps.back())) / step)) + 2, 6,
                  15)
            : 6;
    std::vector<std::string> tics;
    for (double const value : steps)
        tics.push_back(fmt::format("'{:.{}g}' {}", value / scale.size, digits, exact(value)));
    return tics_text(axis, tics);
}

std::string range_text(char axis, double low, double high) {
    return fmt::format("set {}range [{}:{}]\n", axis, exact(low), exact(high));
}

std::string label_text(char axis, Axis const& of, Range range) {
    std::string unit;
    if (!of.log && of.unit != Unit::plain && of.unit != Unit::bytes)
        unit = fmt::format(" [{}]", fitting(of.unit, std::max(std::abs(range.first), std::abs(range.second))).name);
    return fmt::format("set {}label {}\n", axis, gnuplot_quoted(of.label + unit));
}

/// Integers below twenty have a tic each.
std::string linear_x_text(Axis const& axis, Range range) {
    auto const [low, high] = range;
    double const some = std::max(0.02 * (high - low), 1e-6 * std::abs(high));
    double const room = axis.unit == Unit::plain || axis.unit == Unit::bytes ? std::max(0.5, some)
                        : high > low                                         ? some
                                                                             : std::max(std::abs(high), 1e-9);
    return range_text('x', low - room, high + room) + (axis.unit == Unit::bytes   ? even_byte_tics('x', range)
                                                       : axis.unit != Unit::plain ? even_tics('x', axis.unit, range)
                                                       : high - low <= 20         ? "set xtics 1\n"
                                                                                  : "");
}

}  // namespace

measure::Interval shown_range(Plot const& plot) {
    auto const [low, high] = range_of(plot, [](PlotPoint const& p) { return p.y; });
    if (plot.y.log)
        return {low / 1.3, high * 1.3};
    double const top = range_of(plot, [](PlotPoint const& p) {
                           return p.interval && std::isfinite(p.interval->second) ? p.interval->second : p.y;
                       }).second;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return low >= 0 && top > 0 ? Range{0, top * 1.05} : Range{-infinity, infinity};
}

std::string x_axis_text(Plot const& plot) {
    auto const range = range_of(plot, [](PlotPoint const& p) { return p.x; });
    auto const label = label_text('x', plot.x, range);
    if (!plot.x.log)
        return label + linear_x_text(plot.x, range);
    double const room = range.second > range.first ? 1.2 : 2;
    bool const powers = plot.x.unit == Unit::bytes || (plot.x.unit == Unit::plain && range.first >= 1);
    return label + fmt::format("set logscale x {}\n", powers ? 2 : 10) +
           range_text('x', range.first / room, range.second * room) +
           (powers ? power_tics('x', plot.x.unit, range)
                   : log_tics('x', plot.x.unit, {range.first / room, range.second * room}));
}

std::string y_axis_text(Plot const& plot) {
    auto const [low, high] = range_of(plot, [](PlotPoint const& p) { return p.y; });
    auto const label = label_text('y', plot.y, {low, high});
    Range const shown = shown_range(plot);
    if (plot.y.log)
        return label + "set logscale y\n" + range_text('y', shown.first, shown.second) +
               (plot.y.unit == Unit::bytes ? power_tics('y', plot.y.unit, shown) : log_tics('y', plot.y.unit, shown));
    if (!std::isfinite(shown.second))
        return label;
    double const top = shown.second / 1.05;
    return label + range_text('y', 0, shown.second) +
           (plot.y.unit == Unit::bytes   ? even_byte_tics('y', {0, top})
            : plot.y.unit != Unit::plain ? even_tics('y', plot.y.unit, {0, top})
                                         : "");
}

}  // namespace page
