// SPDX-License-Identifier: BSD-3-Clause
/// Plain text: documents as text for terminals. Pure, local.
#pragma once

#include "page/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// The layout of a text.
struct PlainForm {
    std::size_t columns = 0;  ///< width of paragraphs and lists; 0: unlimited
    bool colour = false;      ///< better cells are green, worse cells are red
    /// Wrap the text in the last column of a table if a row is wider than `columns`.
    bool breaks_rows = false;
};

/// A document as text: headings and paragraphs as comments ("# ..."), tables in columns. Folded sections are shown
/// open, figures are left out, and control characters are shown as "?".
[[nodiscard]] std::string plain_text(page::Document const& document, PlainForm const& form = {});

/// Whether a descriptor is a terminal with colours, and the user has not set NO_COLOR.
[[nodiscard]] bool shows_colour(int descriptor);

/// The width of the terminal of a descriptor, limited to 60 .. 120 columns; 80 if it is not a terminal.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// A line of text that is safe for a terminal. Control characters and invalid UTF-8 become "?", because names of files,
/// hosts and processes come from anybody.
[[nodiscard]] std::string printable(std::string const& text);

/// The same for a text of several lines. Line ends are kept.
[[nodiscard]] std::string printable_lines(std::string const& text);

/// Wraps a text between words into lines of at most `columns` bytes. A longer word is alone in its line. Returns at
/// least one line.
[[nodiscard]] std::vector<std::string> text_lines(std::string_view text, std::size_t columns);

/// Headings and rows of a table in columns, without its caption. \param indent  text before each line
[[nodiscard]] std::string plain_rows(page::Table const& table, std::string_view indent = "", bool colour = false);

/// "1 launch", "2 launches"
[[nodiscard]] std::string counted(std::size_t n, std::string_view one, std::string_view many);

/// A time with three digits and a unit: "1.20us".
[[nodiscard]] std::string short_time(double seconds);

}  // namespace measure::tool
