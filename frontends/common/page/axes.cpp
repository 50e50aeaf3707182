// SPDX-License-Identifier: BSD-3-Clause
#include "page/axes.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <span>
#include <utility>
#include <vector>

namespace page {

namespace {

using Range = std::pair<double, double>;

/// The smallest and the largest drawn value; both 1 if nothing is drawn.
/// \param get  returns the value of a point or of an edge of a band
template <class Get>
Range range_of(Plot const& plot, Get get) {
    std::vector<double> values;
    for (Curve const& curve : plot.curves) {
        for (PlotPoint const& point : curve.points)
            if (can_be_drawn(plot, point))
                values.push_back(get(point));
        for (BandPoint const& edge : curve.band)
            for (PlotPoint const& point : {PlotPoint{edge.x, edge.low}, PlotPoint{edge.x, edge.high}})
                if (can_be_drawn(plot, point))
                    values.push_back(get(point));
    }
    if (values.empty())
        return {1, 1};
    auto const [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, *high};
}

double x_of(PlotPoint const& point) { return point.x; }
double y_of(PlotPoint const& point) { return point.y; }

/// The number as text for gnuplot. Some versions have only 32-bit integers, so large numbers get a decimal point.
std::string exact(double value) {
    auto text = fmt::format("{:.15g}", value);
    return text.find_first_of(".e") == std::string::npos && std::abs(value) > 1e9 ? text + ".0" : text;
}

struct Multiple {
    double size;
    char const* name;
};

constexpr std::array seconds_multiples{Multiple{1e-9, "ns"}, Multiple{1e-6, "µs"}, Multiple{1e-3, "ms"},
                                       Multiple{1, "s"}};
constexpr std::array byte_rate_multiples{Multiple{1, "B/s"}, Multiple{1e3, "kB/s"}, Multiple{1e6, "MB/s"},
                                         Multiple{1e9, "GB/s"}, Multiple{1e12, "TB/s"}};
constexpr std::array rate_multiples{Multiple{1, "/s"}, Multiple{1e3, "k/s"}, Multiple{1e6, "M/s"},
                                    Multiple{1e9, "G/s"}};
constexpr std::array flop_multiples{Multiple{1, "flop/s"}, Multiple{1e3, "kflop/s"}, Multiple{1e6, "Mflop/s"},
                                    Multiple{1e9, "Gflop/s"}, Multiple{1e12, "Tflop/s"}};
constexpr std::array plain_multiples{Multiple{1, ""}};

std::span<Multiple const> multiples(Unit unit) {
    switch (unit) {
    case Unit::seconds:
        return seconds_multiples;
    case Unit::bytes_per_second:
        return byte_rate_multiples;
    case Unit::per_second:
        return rate_multiples;
    case Unit::flops:
        return flop_multiples;
    case Unit::plain:
    case Unit::bytes:
    case Unit::date:
        break;
    }
    return plain_multiples;
}

/// The largest multiple for which the number is at least 1.
Multiple fitting(Unit unit, double value) {
    auto const all = multiples(unit);
    Multiple best = all.front();
    for (Multiple const& multiple : all)
        if (std::abs(value) >= multiple.size * (1 - 1e-9))
            best = multiple;
    return best;
}

std::string bytes_text(double value) {
    constexpr double largest = 9.2e18;  // fits a 64-bit number of bytes
    return std::abs(value) < largest ? measure::text_bytes(static_cast<measure::Bytes>(value))
                                     : fmt::format("{:g} B", value);
}

/// A tic with a suitable unit.
Tic tic(Unit unit, double value) {
    if (unit == Unit::bytes)
        return {value, bytes_text(value)};
    Multiple const multiple = fitting(unit, value);
    return {value, fmt::format("{:g}{}{}", value / multiple.size, unit == Unit::plain ? "" : " ", multiple.name)};
}

std::vector<Tic> tics_at(Unit unit, std::vector<double> const& values) {
    std::vector<Tic> tics;
    for (double const value : values)
        tics.push_back(tic(unit, value));
    return tics;
}

/// Rounds up to 1, 2, 5, 10, 20 ...; fractions to .. 0.1, 0.2, 0.5, 1.
double round_step(double at_least) {
    double const decade = std::pow(10.0, std::floor(std::log10(at_least)));
    for (double const digit : {1.0, 2.0, 5.0})
        if (digit * decade >= at_least)
            return digit * decade;
    return 10 * decade;
}

/// Equidistant tics. \param least_step  1 for integers
std::vector<double> even_steps(Range range, std::size_t most, double least_step = 0) {
    constexpr std::size_t wanted = 6;
    double const length = range.second - range.first;
    if (!(length > 0) || !std::isfinite(length))
        return {range.first};
    auto const parts = std::min(wanted, most - 1);
    double const step = std::max(least_step, round_step(length / static_cast<double>(parts)));
    double const first = std::ceil(range.first / step);
    std::vector<double> steps;
    for (std::size_t i = 0; i <= parts; ++i)  // a counter, because a step may be too small to increase a sum
        if (double const value = (first + static_cast<double>(i)) * step; value <= range.second)
            steps.push_back(value);
    return steps;
}

/// The numbers digit * 10^n within the range, for each n that `every` divides.
std::vector<double> decades(Range range, std::span<int const> digits, int every) {
    auto const [low, high] = range;
    std::vector<double> steps;
    for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= std::ceil(std::log10(high)); ++decade)
        for (int const digit : digits)
            if (double const value = digit * std::pow(10.0, decade);
                decade % every == 0 && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                steps.push_back(value);
    return steps;
}

/// Tics of a decimal logarithmic axis: all digits, only 1, 2, 5, or only 1, depending on the room.
std::vector<double> digit_steps(Range range, std::size_t most) {
    constexpr std::array all{1, 2, 3, 4, 5, 6, 7, 8, 9};
    constexpr std::array some{1, 2, 5};
    constexpr std::array one{1};
    if (range.second / range.first < 10)
        if (auto steps = decades(range, all, 1); steps.size() <= most)
            return steps;
    if (auto steps = decades(range, some, 1); steps.size() <= most)
        return steps;
    for (int every = 1;; every = every == 1 ? 3 : 2 * every)
        if (auto steps = decades(range, one, every); steps.size() <= most)
            return steps;
}

std::vector<Tic> log_tics(Unit unit, Range range, std::size_t most) {
    constexpr double almost_linear = 5;
    bool const is_short = range.second / range.first < almost_linear;
    auto steps = is_short ? even_steps(range, most) : digit_steps(range, most);
    return tics_at(unit, steps.size() > 1 ? steps : even_steps(range, most));
}

/// Powers of two. A range with fewer than two of them gets the tics of a linear axis.
std::vector<Tic> power_tics(Unit unit, Range range, std::size_t most) {
    double const octaves = std::log2(range.second / range.first);
    int step = 1;
    while (octaves / step >= static_cast<double>(most))
        step = step == 4 ? 10 : 2 * step;  // 1, 2, 4, 10, 20: 1 KiB, 1 MiB, 1 GiB
    std::vector<double> powers;
    for (int power = 0; power < 63 && std::ldexp(1.0, power) <= range.second; power += step)
        if (double const value = std::ldexp(1.0, power); value >= range.first)
            powers.push_back(value);
    return tics_at(unit, powers.size() > 1 || range.first == range.second ? powers : even_steps(range, most));
}

/// Multiples of a power of two. They are used only if few steps lead from zero, so that a text with one decimal is
/// exact.
std::vector<Tic> even_byte_tics(Range range, std::size_t most) {
    auto const [low, high] = range;
    double step = 1;
    while (static_cast<double>(std::min<std::size_t>(most - 1, 4)) * step < high)
        step *= 2;
    std::vector<Tic> tics;
    if (low > step || low < 0) {
        for (double const value : even_steps(range, most))
            tics.push_back({value, fmt::format("{:.15g} B", value)});
        return tics;
    }
    for (double value = std::ceil(low / step) * step; value <= high; value += step)
        tics.push_back(tic(Unit::bytes, value));
    return tics;
}

/// Tics in a common unit, which is part of the label.
std::vector<Tic> even_tics(Unit unit, Range range, std::vector<double> const& steps) {
    Multiple const multiple = fitting(unit, std::max(std::abs(range.first), std::abs(range.second)));
    double const step = steps.size() > 1 ? steps[1] - steps[0] : 0;
    int const digits =
        step > 0
            ? std::clamp(
                  static_cast<int>(std::log10(std::max(std::abs(steps.front()), std::abs(steps.back())) / step)) + 2, 6,
                  15)
            : 6;
    std::vector<Tic> tics;
    for (double const value : steps)
        tics.push_back({value, fmt::format("{:.{}g}", value / multiple.size, digits)});
    return tics;
}

std::string label_of(Axis const& axis, Range range) {
    if (axis.log || axis.unit == Unit::plain || axis.unit == Unit::bytes || axis.unit == Unit::date)
        return axis.label;
    auto const unit = fitting(axis.unit, std::max(std::abs(range.first), std::abs(range.second))).name;
    return fmt::format("{} [{}]", axis.label, unit);
}

bool has_whole_numbers(Plot const& plot) {
    return std::all_of(plot.curves.begin(), plot.curves.end(), [](Curve const& curve) {
        return std::all_of(curve.points.begin(), curve.points.end(),
                           [](PlotPoint const& point) { return point.x == std::floor(point.x); });
    });
}

/// The margin of a linear axis beyond the outermost points.
double x_room(Plot const& plot, Range range) {
    auto const [low, high] = range;
    constexpr double day = 86400;
    if (plot.x.unit == Unit::date)
        return high > low ? 0.02 * (high - low) : day;
    double const some = std::max(0.02 * (high - low), 1e-6 * std::abs(high));
    bool const is_counted = plot.x.unit == Unit::plain || plot.x.unit == Unit::bytes;
    if (is_counted && (plot.bars || high == low || high - low >= 1))
        return std::max(0.5, some);
    return high > low ? some : std::max(std::abs(high), 1e-9);
}

std::string date_text(double seconds, char const* format) {
    auto const time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 32> text{};
    return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

/// Multiples of a duration, for steps below a month.
std::vector<Tic> date_tics_every(double step, Range range, char const* format) {
    std::vector<Tic> tics;
    for (double at = std::ceil(range.first / step) * step; at <= range.second; at += step)
        tics.push_back({at, date_text(at, format)});
    return tics;
}

/// The first days of months. \param months  step: 1, 3, 6, 12 or a multiple of 12
std::vector<Tic> month_tics(int months, Range range, char const* format) {
    auto const first = static_cast<std::time_t>(range.first);
    std::tm begin{};
    ::gmtime_r(&first, &begin);
    constexpr int months_of_year = 12;
    constexpr int epoch = 1900;
    int number = (begin.tm_year + epoch) * months_of_year + begin.tm_mon;
    number -= number % months;
    std::vector<Tic> tics;
    for (;; number += months) {
        std::tm day{};
        day.tm_year = number / months_of_year - epoch;
        day.tm_mon = number % months_of_year;
        day.tm_mday = 1;
        auto const at = static_cast<double>(::timegm(&day));
        if (at > range.second)
            return tics;
        if (at >= range.first)
            tics.push_back({at, date_text(at, format)});
    }
}

/// The shortest usual step that leaves room for the texts.
std::vector<Tic> date_tics(Range range, std::size_t most) {
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    constexpr double day = 24 * hour;
    constexpr std::size_t roomy = 5;
    most = std::min(most, roomy);
    if (!(range.second > range.first))
        return {{range.first, date_text(range.first, "%Y-%m-%d")}};
    for (double const step : {minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour})
        if ((range.second - range.first) / step < static_cast<double>(most))
            return date_tics_every(step, range, "%m-%d %H:%M");
    for (double const step : {day, 2 * day, 5 * day, 10 * day})
        if ((range.second - range.first) / step < static_cast<double>(most))
            return date_tics_every(step, range, "%Y-%m-%d");
    for (int const months : {1, 3, 6})
        if (auto tics = month_tics(months, range, "%Y-%m"); tics.size() <= most)
            return tics;
    for (int years = 1;; years *= 2)
        if (auto tics = month_tics(12 * years, range, "%Y"); tics.size() <= most)
            return tics;
}

std::vector<Tic> linear_x_tics(Plot const& plot, Range range, std::size_t most) {
    if (plot.x.unit == Unit::date)
        return date_tics(range, most);
    if (plot.x.unit == Unit::bytes)
        return even_byte_tics(range, most);
    bool const whole = plot.x.unit == Unit::plain && has_whole_numbers(plot);
    return even_tics(plot.x.unit, range, even_steps(range, most, whole ? 1 : 0));
}

/// A tic as a gnuplot command. A plain number needs no text.
std::string gnuplot_tic(Tic const& tic) {
    auto const number = exact(tic.at);
    return tic.text == fmt::format("{:g}", tic.at) ? number : fmt::format("{} {}", gnuplot_quoted(tic.text), number);
}

std::string axis_text(char axis, Scale const& scale) {
    auto text = fmt::format("set {}label {}\n", axis, gnuplot_quoted(scale.label));
    if (scale.log_base > 0)
        text += fmt::format("set logscale {}{}\n", axis, scale.log_base == 2 ? " 2" : "");
    std::vector<std::string> tics;
    for (Tic const& one : scale.tics)
        tics.push_back(gnuplot_tic(one));
    return text + fmt::format("set {0}range [{1}:{2}]\nset {0}tics ({3})\n", axis, exact(scale.low), exact(scale.high),
                              fmt::join(tics, ", "));
}

}  // namespace

measure::Interval shown_range(Plot const& plot) {
    auto const [low, high] = range_of(plot, y_of);
    if (plot.y.log)
        return {low / 1.3, high * 1.3};
    auto const end = [&](auto part) {
        return [&plot, part](PlotPoint const& p) {
            double const value = p.interval ? part(*p.interval) : p.y;
            return can_be_drawn(plot, {p.x, value}) ? value : p.y;
        };
    };
    double const top = std::max(high, range_of(plot, end([](auto const& i) { return i.second; })).second);
    if (low >= 0)
        return {0, top > 0 ? 1.05 * top : 1};
    double const bottom = std::min(low, range_of(plot, end([](auto const& i) { return i.first; })).first);
    double const room = top > bottom ? 0.05 * (top - bottom) : std::abs(bottom);
    return {bottom - room, top + room};
}

double Scale::place(double value) const noexcept {
    if (log_base > 0)
        return value > 0 ? std::log(value / low) / std::log(high / low) : -1;
    return (value - low) / (high - low);
}

Scale x_scale(Plot const& plot, std::size_t most_tics) {
    Range const range = range_of(plot, x_of);
    Scale scale{.label = label_of(plot.x, range)};
    if (!plot.x.log) {
        double const room = x_room(plot, range);
        scale.low = range.first - room;
        scale.high = range.second + room;
        scale.tics = linear_x_tics(plot, range, most_tics);
        return scale;
    }
    double const room = range.second > range.first ? 1.2 : 2;
    scale.low = range.first / room;
    scale.high = range.second * room;
    bool const powers = plot.x.unit == Unit::bytes || (plot.x.unit == Unit::plain && range.first >= 1);
    scale.log_base = powers ? 2 : 10;
    scale.tics =
        powers ? power_tics(plot.x.unit, range, most_tics) : log_tics(plot.x.unit, {scale.low, scale.high}, most_tics);
    return scale;
}

Scale y_scale(Plot const& plot, std::size_t most_tics) {
    auto const shown = shown_range(plot);
    Scale scale{.low = shown.first, .high = shown.second, .label = label_of(plot.y, range_of(plot, y_of))};
    if (plot.y.log) {
        scale.log_base = 10;
        scale.tics = plot.y.unit == Unit::bytes ? power_tics(plot.y.unit, shown, most_tics)
                                                : log_tics(plot.y.unit, shown, most_tics);
        return scale;
    }
    Range const range = range_of(plot, y_of);
    scale.tics = plot.y.unit == Unit::bytes && shown.first == 0
                     ? even_byte_tics(shown, most_tics)
                     : even_tics(plot.y.unit, range, even_steps(shown, most_tics));
    return scale;
}

std::string axes_text(Plot const& plot) {
    constexpr std::size_t most_tics = 12;
    return axis_text('x', x_scale(plot, most_tics)) + axis_text('y', y_scale(plot, most_tics));
}

}  // namespace page
