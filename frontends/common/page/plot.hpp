// SPDX-License-Identifier: BSD-3-Clause
/// Plot: curves or bars as values, and the texts that gnuplot draws them from (svg.hpp needs none). Pure and local.
#pragma once

#include <measure/record.hpp>
#include <measure/statistics.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace page {

/// One point of a curve.
struct PlotPoint {
    double x = 0;
    double y = 0;
    std::optional<measure::Interval> interval{};  ///< of y, drawn as a bar; its upper end may be infinite
    bool marked = false;                          ///< gets a circle, see Plot::mark
};

/// Where a band lies above a place.
struct BandPoint {
    double x = 0;
    double low = 0;
    double high = 0;
};

enum class Shape {
    lines,   ///< marks with lines between them
    points,  ///< marks alone
    line,    ///< a line alone: what was computed
    steps,   ///< a staircase: shares of samples
};

struct Curve {
    std::string label{};  ///< empty: not in the legend
    std::vector<PlotPoint> points{};
    Shape shape = Shape::lines;
    /// Number of its colour, mark and dashes; nothing: its place among the curves that are drawn. For a line that
    /// belongs to the marks of another curve.
    std::optional<std::size_t> style{};
    std::vector<BandPoint> band{};  ///< filled between low and high, by x: what is expected, or how far starts differ
};

/// What the numbers of an axis are. All but `plain` get tics with units: "10 us", "4 KiB", "2 GB/s". A date is in
/// seconds since 1970, UTC, on a linear x axis, and its tics are days, months, years or hours.
enum class Unit { plain, seconds, bytes, bytes_per_second, per_second, flops, date };

struct Axis {
    std::string label{};  ///< of a plain axis with its unit: "time [us]"
    bool log = false;
    Unit unit = Unit::plain;
};

struct Plot {
    std::string stem{};  ///< of file names: STEM.dat, STEM.gp, STEM.svg ...
    std::string title{};
    Axis x{};
    Axis y{};
    bool bars = false;   ///< bars beside each other in place of curves; intervals are drawn where there is one curve
    std::string mark{};  ///< what circles around points mean, for the legend
    std::vector<Curve> curves{};
};

/// A curve with points or a band on the axes, and the number of its colour, mark and dashes.
struct DrawnCurve {
    Curve const& curve;
    std::size_t style = 0;
};

/// Colours that people tell apart who do not see all of them, on light paper and on dark screens; black is left to the
/// circles around points.
struct Colour {
    char const* light;
    char const* dark;
};
inline constexpr std::array colours{Colour{"#0072b2", "#4aa3ff"}, Colour{"#d55e00", "#ff8c42"},
                                    Colour{"#009e73", "#2fd0a0"}, Colour{"#cc79a7", "#e79bc6"},
                                    Colour{"#56b4e9", "#a5dcff"}, Colour{"#e69f00", "#ffc04d"},
                                    Colour{"#666666", "#b0b0b0"}, Colour{"#999933", "#c9c95a"},
                                    Colour{"#aa4499", "#dd7fd0"}, Colour{"#44aa99", "#7fd8c9"}};

/// The unit of a quantity of records.
[[nodiscard]] Unit unit_of(measure::Quantity quantity) noexcept;

/// Whether a point is on the axes: a logarithmic one has neither 0 nor less, none has more than 1e100.
[[nodiscard]] bool can_be_drawn(Plot const& plot, PlotPoint const& point) noexcept;

/// The values at the ends of the y axis: a logarithmic one has room for all that is drawn but not for the intervals,
/// and one of numbers that are not negative begins at 0.
[[nodiscard]] measure::Interval shown_range(Plot const& plot);

/// Whether there is anything to draw.
[[nodiscard]] bool has_points(Plot const& plot) noexcept;

/// The curves that have something to draw, in order.
[[nodiscard]] std::vector<DrawnCurve> drawn_curves(Plot const& plot);

/// STEM.dat: one part for each curve: x, y, low and high end of the interval, 1 where marked; then one for
/// each band. What cannot be drawn is a comment.
[[nodiscard]] std::string dat_text(Plot const& plot);

/// STEM.gp, to be run where STEM.dat is: makes STEM.svg and STEM.png. Names may hold any character: nothing in them is
/// interpreted.
[[nodiscard]] std::string gp_text(Plot const& plot);

enum class Terminal { pdf, ps };

/// A script with the data in it that draws all plots into one file, a page for each. Each plot has points.
[[nodiscard]] std::string script_text(std::span<Plot const> plots, Terminal terminal, std::string_view file);

/// The text in single quotation marks.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

}  // namespace page
