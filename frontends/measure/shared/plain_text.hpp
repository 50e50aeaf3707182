// SPDX-License-Identifier: BSD-3-Clause
/// Plain text: a document for terminals. Pure, local.
#pragma once

#include "page/document.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace measure_tool {

/// Headings and paragraphs as comments ("# ..."), tables in columns; what is folded stands open, and figures are left
/// out. What a terminal would obey is shown as "?".
[[nodiscard]] std::string plain_text(page::Document const& document);

/// A line of text. Names of hosts and processes are anybody's: what a terminal would obey is shown as "?".
[[nodiscard]] std::string printable(std::string text);

/// Headings and rows of a table in columns, without its caption. \param indent  before each line
[[nodiscard]] std::string plain_rows(page::Table const& table, std::string_view indent = "");

/// "1 launch", "2 launches"
[[nodiscard]] std::string counted(std::size_t n, std::string_view one, std::string_view many);

}  // namespace measure_tool
