// SPDX-License-Identifier: BSD-3-Clause
/// Drawing: plots to pictures by a gnuplot that is started for it. Local.
#pragma once

#include "page/plot.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace page {

/// Version of the gnuplot in PATH, "5.4"; nothing where there is none, or one that is older than 5.0.
/// \throws measure::Interrupted
[[nodiscard]] std::optional<std::string> gnuplot_version();

/// An SVG for each plot; an empty text where it has no points or gnuplot could not draw it. All are drawn by one
/// process; where that fails, each by its own.
/// \throws measure::Interrupted, std::runtime_error where there is no room for temporary files
[[nodiscard]] std::vector<std::string> draw_svg(std::span<Plot const> plots);

/// One PDF with a page for each plot that has points; an empty text where gnuplot cannot make it.
/// \throws as draw_svg
[[nodiscard]] std::string draw_pdf(std::span<Plot const> plots);

}  // namespace page
