// SPDX-License-Identifier: BSD-3-Clause
/// Plot: curves or bars as values, and the texts that gnuplot draws them from. Pure and local.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skampi::report {

/// One point of a curve.
struct PlotPoint {
    double x = 0;
    double y = 0;
    double error = 0;  ///< standard error of y
    bool refined = false;
};

struct Curve {
    std::string label{};
    std::vector<PlotPoint> points{};
};

struct Plot {
    std::string stem{};  ///< of the file names: STEM.dat, STEM.gp, STEM.svg ...
    std::string title{};
    std::string x_label{};
    std::string y_label{};
    bool log_x = false;
    bool log_y = false;
    bool bytes = false;  ///< whether x is a length: a logarithmic axis then has binary units
    bool bars = false;   ///< bars beside each other in place of curves
    std::vector<Curve> curves{};
};

/// Pictures that gnuplot shall make.
struct Pictures {
    bool svg = true;
    bool png = true;
    bool pdf = true;
};

/// Whether a point is on the axes: a logarithmic one has neither 0 nor less.
[[nodiscard]] bool can_be_drawn(Plot const& plot, PlotPoint const& point) noexcept;

/// Whether there is anything to draw.
[[nodiscard]] bool has_points(Plot const& plot) noexcept;

/// STEM.dat: one part for each curve: x, y, low and high end of the error bar, 1 where refined. What cannot be drawn is
/// a comment.
[[nodiscard]] std::string dat_text(Plot const& plot);

/// STEM.gp, to be run where STEM.dat is. Names may hold any character: nothing in them is interpreted.
[[nodiscard]] std::string gp_text(Plot const& plot, Pictures const& pictures = {});

/// The text in single quotation marks.
[[nodiscard]] std::string gnuplot_quoted(std::string_view text);

}  // namespace skampi::report
