// SPDX-License-Identifier: BSD-3-Clause
/// Plain text: a document for terminals. Pure, local.
#pragma once

#include "page/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

/// How a document is set.
struct PlainForm {
    std::size_t columns = 0;  ///< that paragraphs and lists have; 0: however many they need
    bool colour = false;      ///< what is better green, what is worse red
    /// Texts in the last column of a table are broken into lines where a row has more columns than that.
    bool breaks_rows = false;
};

/// Headings and paragraphs as comments ("# ..."), tables in columns; what is folded stands open, and figures are left
/// out. What a terminal would obey is shown as "?".
[[nodiscard]] std::string plain_text(page::Document const& document, PlainForm const& form = {});

/// Whether a terminal is there that shows colours, and the user has not set NO_COLOR. \param descriptor  written to
[[nodiscard]] bool shows_colour(int descriptor);

/// Columns of the terminal that a descriptor is, from 60 to 120; 80 where it is none.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// A line of text. Names of files, hosts and processes are anybody's: what a terminal would obey, and what is no UTF-8,
/// is shown as "?".
[[nodiscard]] std::string printable(std::string const& text);

/// The same of a text of several lines, which stay.
[[nodiscard]] std::string printable_lines(std::string const& text);

/// The text in lines of so many bytes, broken between words; a longer word has a line of its own. At least one.
[[nodiscard]] std::vector<std::string> text_lines(std::string_view text, std::size_t columns);

/// Headings and rows of a table in columns, without its caption. \param indent  before each line
[[nodiscard]] std::string plain_rows(page::Table const& table, std::string_view indent = "", bool colour = false);

/// "1 launch", "2 launches"
[[nodiscard]] std::string counted(std::size_t n, std::string_view one, std::string_view many);

/// Three digits and a unit: "1.20us".
[[nodiscard]] std::string short_time(double seconds);

}  // namespace measure::tool
