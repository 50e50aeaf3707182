// SPDX-License-Identifier: BSD-3-Clause
/// Plot: curves or bars as values, and the input files with which gnuplot draws them (svg.hpp needs no gnuplot). Pure
/// and local.
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

/// A point of a curve.
struct PlotPoint {
    double x = 0;
    double y = 0;
    std::optional<measure::Interval> interval{};  ///< interval of y, drawn as a bar; its upper end may be infinite
    bool marked = false;                          ///< drawn with a circle, see Plot::mark
};

/// The range of a band at x.
struct BandPoint {
    double x = 0;
    double low = 0;
    double high = 0;
};

enum class Shape {
    lines,   ///< marks connected by lines
    points,  ///< only marks
    line,    ///< only a line, for computed values
    steps,   ///< a staircase, for shares of samples
};

struct Curve {
    std::string label{};  ///< label in the legend; empty: not in the legend
    std::vector<PlotPoint> points{};
    Shape shape = Shape::lines;
    /// Number of its colour, mark and dashes, for a line that belongs to the marks of another curve. Empty: its
    /// position among the drawn curves.
    std::optional<std::size_t> style{};
    std::vector<BandPoint> band{};  ///< area between low and high, by x: the expected range or the spread of launches
};

/// The unit of an axis. All units except `plain` get tics with units: "10 us", "4 KiB", "2 GB/s". A date is in seconds
/// since 1970, UTC, on a linear x axis. Its tics are hours, days, months or years.
enum class Unit { plain, seconds, bytes, bytes_per_second, per_second, flops, date };

struct Axis {
    std::string label{};  ///< a plain axis needs the unit in its label: "time [us]"
    bool log = false;
    Unit unit = Unit::plain;
};

struct Plot {
    std::string stem{};  ///< stem of file names: STEM.dat, STEM.gp, STEM.svg ...
    std::string title{};
    Axis x{};
    Axis y{};
    bool bars = false;   ///< adjacent bars instead of curves; intervals are drawn only for a single curve
    std::string mark{};  ///< meaning of circles around points, for the legend
    std::vector<Curve> curves{};
};

/// A curve with drawable points or a band, and the number of its colour, mark and dashes.
struct DrawnCurve {
    Curve const& curve;
    std::size_t style = 0;
};

/// Colours that colour-blind readers can distinguish, on light paper and on dark screens. Black is reserved for the
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

/// Whether a point can be drawn: values on a logarithmic axis must be > 0, and no value may exceed 1e100.
[[nodiscard]] bool can_be_drawn(Plot const& plot, PlotPoint const& point) noexcept;

/// The values at the ends of the y axis. A logarithmic axis covers all points but not their intervals. A linear axis
/// starts at 0 if no number is negative.
[[nodiscard]] measure::Interval shown_range(Plot const& plot);

/// Whether the plot has anything to draw.
[[nodiscard]] bool has_points(Plot const& plot) noexcept;

/// The curves that can be drawn, in order.
[[nodiscard]] std::vector<DrawnCurve> drawn_curves(Plot const& plot);

/// Text of STEM.dat: a block for each curve with x, y, low and high end of the interval, and 1 if marked; then a block
/// for each band. Points that cannot be drawn are comments.
[[nodiscard]] std::string dat_text(Plot const& plot);

/// Text of STEM.gp, a script that makes STEM.svg and STEM.png in the folder of STEM.dat. Names may contain any
/// character; gnuplot does not interpret them.
[[nodiscard]] std::string gp_text(Plot const& plot);

enum class Terminal { pdf, ps };

/// A script that contains the data and draws all plots into one file, one page per plot. Each plot must have points.
[[nodiscard]] std::string script_text(std::span<Plot const> plots, Terminal terminal, std::string_view file);

/// The text in single quotes, escaped for gnuplot.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

}  // namespace page
