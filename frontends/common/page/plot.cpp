// SPDX-License-Identifier: BSD-3-Clause
#include "page/plot.hpp"

#include "page/axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace page {

namespace {

bool has_drawn_points(Plot const& plot, Curve const& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [&](PlotPoint const& point) { return can_be_drawn(plot, point); });
}

bool has_band(Plot const& plot, Curve const& curve) {
    return std::any_of(curve.band.begin(), curve.band.end(), [&](BandPoint const& edge) {
        return can_be_drawn(plot, {edge.x, edge.high});
    });
}

char const* colour(std::size_t style) { return colours[style % colours.size()].light; }

/// A drawn curve with its data and its style.
struct Drawn {
    Curve const& curve;
    std::string data;  ///< "'p.dat' index 2"
    std::size_t style;
};

/// Mark and dashes of a curve, which distinguish curves if colours repeat or are missing.
std::string style_text(Drawn const& drawn) {
    constexpr std::size_t first_shape = 4;
    constexpr std::size_t shapes = 12;
    constexpr std::size_t dashes = 5;
    return fmt::format("linewidth 1.5 pointtype {} pointsize 0.7 linecolor '{}' dashtype {}",
                       first_shape + drawn.style % shapes, colour(drawn.style), 1 + drawn.style % dashes);
}

std::string title_text(std::string const& label) {
    return label.empty() ? "notitle" : "title " + gnuplot_quoted(label);
}

std::string curve_text(Drawn const& drawn) {
    char const* with = "1:2 with lines";
    if (drawn.curve.shape == Shape::lines)
        with = "1:2 with linespoints";
    else if (drawn.curve.shape == Shape::points)
        with = "1:2 with points";
    else if (drawn.curve.shape == Shape::steps)
        with = "1:2 with steps";
    auto style = style_text(drawn);
    if (drawn.curve.shape == Shape::line || drawn.curve.shape == Shape::steps)
        style = fmt::format("linewidth 1.5 linecolor '{}' dashtype {}", colour(drawn.style), 1 + drawn.style % 5);
    else if (drawn.curve.shape == Shape::points)
        style = style.substr(0, style.find(" dashtype"));
    return fmt::format("{} using {} {} {}", drawn.data, with, style, title_text(drawn.curve.label));
}

/// The intervals of a curve as lines with end marks. gnuplot's own error bars have the curve's dashes and white discs,
/// and a point without interval looks like one with an interval of length 0.
std::string interval_text(Drawn const& drawn, char const* ink) {
    return fmt::format(
        "{} using 1:($4 > $3 ? $3 : NaN):(0):($4 - $3) with vectors heads size graph 0.006,90 linewidth 1 "
        "linecolor '{}' dashtype 1 notitle",
        drawn.data, ink);
}

std::string mark_text(Drawn const& drawn, std::string const& title) {
    return fmt::format("{} using 1:($5 == 1 ? $2 : NaN) with points pointtype 6 pointsize 1.8 linecolor 'black' {}",
                       drawn.data, title_text(title));
}

std::string band_command(Drawn const& drawn, bool with_title) {
    return fmt::format("{} using 1:2:3 with filledcurves fillstyle transparent solid 0.2 noborder linecolor '{}' {}",
                       drawn.data, colour(drawn.style), title_text(with_title ? drawn.curve.label : std::string{}));
}

std::string bar_text(Drawn const& drawn, std::size_t index, std::size_t bars) {
    double const width = 0.8 / static_cast<double>(bars);
    double const offset = (static_cast<double>(index) - static_cast<double>(bars - 1) / 2) * width;
    return fmt::format("{} using ($1 + {:.4f}):2:({:.4f}) with boxes fill solid 0.7 linecolor '{}' {}", drawn.data,
                       offset, width, colour(drawn.style), title_text(drawn.curve.label));
}

/// \param file  quoted file name, or name of a data block
std::string plot_command(Plot const& plot, std::string const& file) {
    std::size_t index = 0;
    auto const next = [&] { return fmt::format("{} index {}", file, index++); };
    auto const drawn = drawn_curves(plot);
    std::vector<Drawn> all;
    for (auto const& [curve, style] : drawn)
        if (has_drawn_points(plot, curve))
            all.push_back({curve, next(), style});
    std::vector<std::string> parts;
    std::vector<std::string> marks;
    for (auto const& [curve, style] : drawn)
        if (has_band(plot, curve))
            parts.push_back(band_command({curve, next(), style}, !has_drawn_points(plot, curve)));
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto const& points = all[i].curve.points;
        parts.push_back(plot.bars ? bar_text(all[i], i, all.size()) : curve_text(all[i]));
        bool const has_intervals =
            std::any_of(points.begin(), points.end(), [](PlotPoint const& p) { return p.interval; });
        if (has_intervals && !plot.bars)
            parts.insert(parts.end() - 1, interval_text(all[i], colour(all[i].style)));
        else if (has_intervals && all.size() == 1)
            parts.push_back(interval_text(all[i], "black"));
        if (std::any_of(points.begin(), points.end(),
                        [&](PlotPoint const& p) { return p.marked && can_be_drawn(plot, p); }))
            marks.push_back(mark_text(all[i], marks.empty() ? plot.mark : std::string{}));
    }
    parts.insert(parts.end(), marks.begin(), marks.end());
    return fmt::format("plot {}\n", fmt::join(parts, ", \\\n     "));
}

/// Size of a picture on the screen, in pixels. The legend of many curves needs additional room.
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

/// The terminal with its options, for a file with all plots.
std::string terminal_text(Terminal terminal) {
    return terminal == Terminal::ps ? "postscript landscape color noenhanced 'Helvetica' 12"
                                    : fmt::format("pdfcairo size {:.1f}cm,{:.1f}cm noenhanced font 'sans-serif,10'",
                                                  Size{}.width / 50.0, Size{}.height / 50.0);
}

/// \param terminal  terminal with its options; a gnuplot without this terminal skips the picture
std::string picture_text(Plot const& plot, std::string const& terminal, std::string_view suffix) {
    auto const name = terminal.substr(0, terminal.find(' '));
    return fmt::format("if (strstrt(GPVAL_TERMINALS, '{}') > 0) {{\nset terminal {}\nset output '{}.{}'\n{}"
                       "set output\n}}\n",
                       name, terminal, plot.stem, suffix, plot_command(plot, fmt::format("'{}.dat'", plot.stem)));
}

std::string pictures_text(Plot const& plot) {
    auto const size = size_of(plot);
    auto const terminal = [&](char const* name, int font, int percent) {
        return fmt::format("{} size {},{} noenhanced font 'sans-serif,{}' background 'white'", name,
                           size.width * percent / 100, size.height * percent / 100, font);
    };
    return picture_text(plot, terminal("svg", 13, 100), "svg") +
           picture_text(plot, terminal("pngcairo", 11, 125), "png");
}

std::string frame_text(Plot const& plot) {
    return fmt::format("reset\n"
                       "set encoding utf8\n"
                       "set title {}\n"
                       "set key below Left reverse height 1\n"
                       "set grid linetype 1 linewidth 0.5 linecolor '#d0d0d0'\n",
                       gnuplot_quoted(plot.title)) +
           axes_text(plot);
}

std::string one_line(std::string_view text) {
    std::string line{text};
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return line;
}

/// \param shown  the ends of the y axis
std::string point_text(Plot const& plot, PlotPoint const& point, measure::Interval const& shown) {
    auto [low, high] = point.interval.value_or(measure::Interval{point.y, point.y});
    // An end that the axis cannot show is moved outside of the picture.
    if (plot.y.log && low <= 0)
        low = shown.first / 10;
    if (!std::isfinite(high))
        high = std::isfinite(shown.second) ? 10 * shown.second : point.y;
    return fmt::format("{:.10g} {:.10g} {:.10g} {:.10g} {}\n", point.x, point.y, low, high, point.marked ? 1 : 0);
}

/// A block for each band. \param parts  number of blocks so far
std::string bands_text(Plot const& plot, std::size_t parts) {
    auto const [shown_low, shown_high] = shown_range(plot);
    std::string text;
    for (Curve const& curve : plot.curves) {
        if (!has_band(plot, curve))
            continue;
        text += parts++ > 0 ? "\n\n" : "";
        for (auto const& [x, low, high] : curve.band)
            if (can_be_drawn(plot, {x, high}))
                text += fmt::format("{:.10g} {:.10g} {:.10g}\n", x, std::max(low, shown_low), high);
    }
    return text;
}

/// The drawn data, as a block in a script.
std::string block_text(Plot const& plot, std::string const& name) {
    auto const shown = shown_range(plot);
    std::string text = name + " << END_OF_DATA\n";
    std::size_t parts = 0;
    for (Curve const& curve : plot.curves) {
        if (!has_drawn_points(plot, curve))
            continue;
        if (parts++ > 0)
            text += "\n\n";
        for (PlotPoint const& point : curve.points)
            if (can_be_drawn(plot, point))
                text += point_text(plot, point, shown);
    }
    return text + bands_text(plot, parts) + "END_OF_DATA\n";
}

}  // namespace

Unit unit_of(measure::Quantity quantity) noexcept {
    switch (quantity) {
    case measure::Quantity::time:
        return Unit::seconds;
    case measure::Quantity::bandwidth:
        return Unit::bytes_per_second;
    case measure::Quantity::rate:
        return Unit::per_second;
    case measure::Quantity::flops:
        return Unit::flops;
    case measure::Quantity::memory:
        return Unit::bytes;
    case measure::Quantity::ratio:
    case measure::Quantity::count:
        break;
    }
    return Unit::plain;
}

bool can_be_drawn(Plot const& plot, PlotPoint const& point) noexcept {
    // gnuplot does not terminate for the largest and smallest numbers.
    constexpr double largest = 1e100;
    auto const fits = [](double value, bool log) {
        return std::abs(value) <= largest && (!log || value >= 1 / largest);
    };
    return fits(point.x, plot.x.log) && fits(point.y, plot.y.log);
}

bool has_points(Plot const& plot) noexcept {
    return std::any_of(plot.curves.begin(), plot.curves.end(),
                       [&](Curve const& c) { return has_drawn_points(plot, c) || has_band(plot, c); });
}

std::vector<DrawnCurve> drawn_curves(Plot const& plot) {
    std::vector<DrawnCurve> all;
    for (Curve const& curve : plot.curves)
        if (has_drawn_points(plot, curve) || has_band(plot, curve))
            all.push_back({curve, curve.style.value_or(all.size())});
    return all;
}

std::string gnuplot_quoted(std::string_view text) {
    std::string quoted = "'";
    for (char const c : one_line(text)) {
        if (c == '\'')
            quoted += '\'';
        quoted += c;
    }
    return quoted += '\'';
}

std::string dat_text(Plot const& plot) {
    auto const shown = shown_range(plot);
    std::string text =
        fmt::format("# {}\n# x y low high {}; x: {}, y: {}\n", one_line(plot.title),
                    plot.mark.empty() ? "marked" : one_line(plot.mark), one_line(plot.x.label), one_line(plot.y.label));
    std::size_t parts = 0;
    for (Curve const& curve : plot.curves) {
        bool const drawn = has_drawn_points(plot, curve);
        if (drawn && parts++ > 0)
            text += "\n\n";
        text += fmt::format("# {}\n", one_line(curve.label));
        for (PlotPoint const& point : curve.points)
            text += (can_be_drawn(plot, point) ? "" : "# not on a logarithmic axis: ") + point_text(plot, point, shown);
    }
    return text + bands_text(plot, parts);
}

std::string gp_text(Plot const& plot) {
    return fmt::format("# gnuplot {}.gp\n{}{}", plot.stem, frame_text(plot), pictures_text(plot));
}

std::string script_text(std::span<Plot const> plots, Terminal terminal, std::string_view file) {
    std::string text = fmt::format("set encoding utf8\nset terminal {}\nset output {}\n", terminal_text(terminal),
                                   gnuplot_quoted(file));
    for (std::size_t i = 0; i < plots.size(); ++i) {
        auto const block = fmt::format("$plot{}", i);
        text += block_text(plots[i], block) + frame_text(plots[i]) + plot_command(plots[i], block) +
                fmt::format("undefine {}\n", block);
    }
    return text;
}

}  // namespace page
