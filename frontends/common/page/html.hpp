// SPDX-License-Identifier: BSD-3-Clause
/// HTML: a document as one page that needs nothing else, for light and dark screens and for paper. Pure and local.
#pragma once

#include "page/document.hpp"

#include <map>
#include <string>
#include <string_view>

namespace page {

/// Pictures of a document: stem of a plot -> its SVG; a plot without one is its table.
using SvgPictures = std::map<std::string, std::string>;

/// The whole page.
[[nodiscard]] std::string html_text(Document const& document, SvgPictures const& pictures);

/// A page around a body that is HTML already. \param title  plain text
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body);

/// Text for elements and for attributes in double quotes. What no HTML may hold (control characters, broken UTF-8)
/// becomes U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// A picture of gnuplot as a part of a page: its colours follow the page, its names are unlike any other picture's, and
/// who does not see it is told what it is. \param number  of the picture on the page
[[nodiscard]] std::string embedded_svg(std::string const& svg, std::size_t number, std::string_view title,
                                       std::string_view description);

}  // namespace page
