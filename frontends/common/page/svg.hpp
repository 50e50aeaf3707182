// SPDX-License-Identifier: BSD-3-Clause
/// Svg: draws a plot as SVG text, without another program. Pure and local.
///
/// A picture is 360 units wide, like the screen of a phone in pixels. Its colours, fonts and line widths are in
/// `svg_style`, so that they follow the page. Curves also differ by shapes and dashes.
#pragma once

#include "page/document.hpp"
#include "page/plot.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace page {

/// A picture for a page with `svg_style`; empty if the plot has no points. The title inside the picture is for screen
/// readers only; the page must print it too.
/// \param number  number of the picture on the page, which makes the identifiers of its parts unique
/// \param note    text added to the description of the picture
[[nodiscard]] std::string svg_text(Plot const& plot, std::size_t number, std::string_view note = {});

/// A heat map: orange above, blue below, both darker with distance, so that it works in greyscale. Cells without value
/// have a cross, marked cells a frame. Names are printed next to the rows if there are at most 64.
[[nodiscard]] std::string svg_text(HeatMap const& map);

/// A picture as a separate file, on white, with its title.
[[nodiscard]] std::string svg_file_text(Plot const& plot);

/// CSS rules for a page with pictures, for light and dark screens.
[[nodiscard]] std::string svg_style();

}  // namespace page
