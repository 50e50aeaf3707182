// SPDX-License-Identifier: BSD-3-Clause
/// Svg: a plot as the text of a picture, made without any other program. Pure and local.
///
/// A picture is 360 units wide: as many pixels as a phone has. Its colours, fonts and thicknesses are in `svg_style`,
/// so that they follow the page; shapes and dashes differ as well.
#pragma once

#include "page/document.hpp"
#include "page/plot.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace page {

/// A picture for a page that has `svg_style`; empty where the plot has no points. The title is for readers who do not
/// see the picture: on the page it is to stand beside it.
/// \param number  of the picture on the page: names of its parts are unlike those of others
/// \param note    added to the description of the picture
[[nodiscard]] std::string svg_text(Plot const& plot, std::size_t number, std::string_view note = {});

/// A heat map: orange above, blue below, both darker the farther away, so that grey shows how far; a cross where there
/// is no value, a frame where a cell is marked. Names stand beside the rows up to 64 of them.
[[nodiscard]] std::string svg_text(HeatMap const& map);

/// A picture as a file of its own: on white, with its title.
[[nodiscard]] std::string svg_file_text(Plot const& plot);

/// Rules that a page with pictures needs, for light and dark screens.
[[nodiscard]] std::string svg_style();

}  // namespace page
