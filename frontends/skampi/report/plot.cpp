// SPDX-License-Identifier: BSD-3-Clause
#include "report/plot.hpp"

#include "output/number.hpp"

#include <measure/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace skampi::report {

namespace {

/// Smallest and largest of what is drawn; both 1 where nothing is.
template <class Get>
std::pair<double, double> range_of(Plot const& plot, Get get) {
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

/// An error bar that reaches 0 on a logarithmic axis ends far below its point, out of the picture.
double low_end(Plot const& plot, PlotPoint const& point) {
    double const low = point.y - point.error;
    return plot.log_y && low <= 0 ? point.y * 1e-3 : low;
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
std::vector<std::string> even_tics(double low, double high) {
    double const step = round_step((high - low) / 6);
    std::vector<std::string> tics;
    for (double multiple = std::ceil(low / step); multiple * step <= high; ++multiple)
        tics.push_back(fmt::format("{:g}", multiple * step));
    return tics;
}

/// Steps of 1, 2, 5, or all digits for less than a decade.
std::vector<std::string> digit_tics(double low, double high) {
    bool const narrow = high / low < 10;
    std::vector<std::string> tics;
    for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= std::ceil(std::log10(high)); ++decade)
        for (int digit = 1; digit <= 9; ++digit)
            if (narrow || digit == 1 || digit == 2 || digit == 5)
                tics.push_back(fmt::format("{:g}", digit * std::pow(10.0, decade)));
    return tics;
}

/// For a logarithmic axis of less than three decades: gnuplot alone labels decades only.
std::string close_tics(double low, double high) {
    constexpr double almost_linear = 5;
    return fmt::format("set ytics ({})\n",
                       joined(high / low < almost_linear ? even_tics(low, high) : digit_tics(low, high), ", "));
}

std::string byte_tic(measure::Bytes bytes) { return fmt::format("'{}' {}", measure::text_bytes(bytes), bytes); }

/// Powers of two, at distances that give about ten of them at most.
std::string byte_tics(double low, double high) {
    double const octaves = std::log2(high / low);
    int const step = octaves <= 10 ? 1 : octaves <= 20 ? 2 : 4;
    std::vector<std::string> tics;
    for (int power = 0; power < 63 && std::ldexp(1.0, power) <= high; power += step)
        if (measure::Bytes const bytes = measure::Bytes{1} << power; static_cast<double>(bytes) >= low)
            tics.push_back(byte_tic(bytes));
    return fmt::format("set xtics ({})\n", joined(tics, ", "));
}

/// The first few multiples of a power of two, whose names are exact with one decimal.
std::string even_byte_tics(double high) {
    measure::Bytes step = 1;
    while (4 * static_cast<double>(step) < high)
        step *= 2;
    std::vector<std::string> tics;
    for (measure::Bytes bytes = 0; static_cast<double>(bytes) <= high; bytes += step)
        tics.push_back(byte_tic(bytes));
    return fmt::format("set xtics ({})\n", joined(tics, ", "));
}

std::string linear_x_axis_text(Plot const& plot, double low, double high) {
    double const room = std::max(0.5, 0.02 * (high - low));
    return fmt::format("set xrange [{:g}:{:g}]\n{}", low - room, high + room,
                       plot.bytes         ? even_byte_tics(high)
                       : high - low <= 20 ? "set xtics 1\n"
                                          : "");
}

std::string x_axis_text(Plot const& plot) {
    auto const [low, high] = range_of(plot, [](PlotPoint const& p) { return p.x; });
    if (!plot.log_x)
        return linear_x_axis_text(plot, low, high);
    return fmt::format("set logscale x 2\nset xrange [{:g}:{:g}]\n{}", low / 1.2, high * 1.2,
                       plot.bytes ? byte_tics(low, high) : "");
}

/// On a logarithmic axis the ends of error bars do not count: a wide one would squeeze the curves.
std::string y_axis_text(Plot const& plot) {
    auto const [low, high] = range_of(plot, [](PlotPoint const& p) { return p.y; });
    if (plot.log_y) {
        double const bottom = low / 1.3;
        double const end = high * 1.3;
        return fmt::format("set logscale y\nset yrange [{:g}:{:g}]\n{}", bottom, end,
                           high / low < 1000 ? close_tics(bottom, end) : "set format y '%g'\n");
    }
    double const top = range_of(plot, [](PlotPoint const& p) { return p.y + p.error; }).second;
    return low >= 0 && top > 0 ? fmt::format("set yrange [0:{:g}]\n", top * 1.05) : "";
}

bool is_drawn(Plot const& plot, Curve const& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [&](PlotPoint const& point) { return can_be_drawn(plot, point); });
}

/// Colours that people tell apart who do not see all of them; black is left to the marks of refined points.
constexpr std::array<char const*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#56b4e9", "#e69f00", "#666666"};

char const* colour(std::size_t index) { return colours[index % colours.size()]; }

/// \param index  among the curves that are drawn: their place in the data file
std::string curve_text(Plot const& plot, Curve const& curve, std::size_t index) {
    // Shapes and dashes, so that many curves differ where colours come again or there are none.
    constexpr std::size_t first_shape = 4;
    constexpr std::size_t shapes = 12;
    return fmt::format("'{}.dat' index {} using 1:2:3:4 with yerrorlines linewidth 1.5 pointtype {} pointsize 0.7 "
                       "linecolor '{}' dashtype {} title {}",
                       plot.stem, index, first_shape + index % shapes, colour(index), 1 + index / colours.size(),
                       gnuplot_quoted(curve.label));
}

std::string refined_text(Plot const& plot, std::size_t index, bool first) {
    return fmt::format("'{}.dat' index {} using 1:($5 == 1 ? $2 : NaN) with points pointtype 6 pointsize 1.8 "
                       "linecolor 'black' {}",
                       plot.stem, index, first ? "title 'refined'" : "notitle");
}

std::string bar_text(Plot const& plot, Curve const& curve, std::size_t index, std::size_t bars) {
    double const width = 0.8 / static_cast<double>(bars);
    double const offset = (static_cast<double>(index) - static_cast<double>(bars - 1) / 2) * width;
    return fmt::format(
        "'{}.dat' index {} using ($1 + {:.4f}):2:({:.4f}) with boxes fill solid 0.7 linecolor '{}' title {}", plot.stem,
        index, offset, width, colour(index), gnuplot_quoted(curve.label));
}

std::string plot_command(Plot const& plot) {
    std::vector<std::string> parts;
    std::vector<std::string> marks;
    std::vector<Curve const*> drawn;
    for (Curve const& curve : plot.curves)
        if (is_drawn(plot, curve))
            drawn.push_back(&curve);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        parts.push_back(plot.bars ? bar_text(plot, *drawn[i], i, drawn.size()) : curve_text(plot, *drawn[i], i));
        auto const& points = drawn[i]->points;
        if (std::any_of(points.begin(), points.end(),
                        [&](auto const& p) { return p.refined && can_be_drawn(plot, p); }))
            marks.push_back(refined_text(plot, i, marks.empty()));
    }
    parts.insert(parts.end(), marks.begin(), marks.end());
    return fmt::format("plot {}\n", joined(parts, ", \\\n     "));
}

/// \param terminal  with its options; a gnuplot without it leaves the picture out
std::string picture_text(Plot const& plot, std::string_view terminal, std::string_view name, std::string_view suffix) {
    return fmt::format("if (strstrt(GPVAL_TERMINALS, '{}') > 0) {{\nset terminal {}\nset output '{}.{}'\n{}"
                       "set output\n}}\n",
                       name, terminal, plot.stem, suffix, plot_command(plot));
}

/// Pixels of a picture on the screen: the legend of many curves needs room of its own.
struct Size {
    int width = 800;
    int height = 520;
};

Size size_of(Plot const& plot) {
    constexpr int rows_with_room = 3;
    constexpr int row_height = 18;
    int const rows = static_cast<int>(plot.curves.size() + 1) / 2;
    return {.height = Size{}.height + row_height * std::max(0, rows - rows_with_room)};
}

std::string pictures_text(Plot const& plot, Pictures const& pictures) {
    auto const [width, height] = size_of(plot);
    std::string text;
    if (pictures.svg)
        text += picture_text(
            plot, fmt::format("svg size {},{} noenhanced font 'sans-serif,13' background 'white'", width, height),
            "svg", "svg");
    if (pictures.png)
        text += picture_text(plot,
                             fmt::format("pngcairo size {},{} noenhanced font 'sans-serif,11' background 'white'",
                                         width * 5 / 4, height * 5 / 4),
                             "pngcairo", "png");
    if (pictures.pdf)
        text += picture_text(
            plot,
            fmt::format("pdfcairo size {:.1f}cm,{:.1f}cm noenhanced font 'sans-serif,10'", width / 50.0, height / 50.0),
            "pdfcairo", "pdf");
    return text;
}

}  // namespace

bool can_be_drawn(Plot const& plot, PlotPoint const& point) noexcept {
    return (!plot.log_x || point.x > 0) && (!plot.log_y || point.y > 0);
}

bool has_points(Plot const& plot) noexcept {
    return std::any_of(plot.curves.begin(), plot.curves.end(), [&](Curve const& c) { return is_drawn(plot, c); });
}

std::string gnuplot_quoted(std::string_view text) {
    std::string quoted = "'";
    for (char const c : text) {
        if (c == '\'')
            quoted += '\'';
        quoted += c == '\n' || c == '\r' ? ' ' : c;
    }
    return quoted += '\'';
}

std::string dat_text(Plot const& plot) {
    std::string text =
        fmt::format("# {}\n# x y low high refined; x: {}, y: {}\n", plot.title, plot.x_label, plot.y_label);
    std::size_t parts = 0;
    for (Curve const& curve : plot.curves) {
        bool const drawn = is_drawn(plot, curve);
        if (drawn && parts++ > 0)
            text += "\n\n";
        text += fmt::format("# {}\n", curve.label);
        for (PlotPoint const& point : curve.points)
            text += fmt::format("{}{:.10g} {:.10g} {:.10g} {:.10g} {}\n",
                                can_be_drawn(plot, point) ? "" : "# not on a logarithmic axis: ", point.x, point.y,
                                low_end(plot, point), point.y + point.error, point.refined ? 1 : 0);
    }
    return text;
}

std::string gp_text(Plot const& plot, Pictures const& pictures) {
    return fmt::format("# gnuplot {}.gp\n"
                       "reset\n"
                       "set encoding utf8\n"
                       "set title {}\n"
                       "set xlabel {}\n"
                       "set ylabel {}\n"
                       "set key below Left reverse height 1\n"
                       "set grid linetype 1 linewidth 0.5 linecolor '#d0d0d0'\n"
                       "{}{}{}",
                       plot.stem, gnuplot_quoted(plot.title), gnuplot_quoted(plot.x_label),
                       gnuplot_quoted(plot.y_label), x_axis_text(plot), y_axis_text(plot),
                       pictures_text(plot, pictures));
}

}  // namespace skampi::report
