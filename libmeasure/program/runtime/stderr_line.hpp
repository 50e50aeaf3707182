// SPDX-License-Identifier: BSD-3-Clause
/// stderr_line: one line on stderr, in one piece, that a terminal shows as it is.
#pragma once

#include "analysis/core/printable.hpp"

#include <string>
#include <string_view>

namespace program {

using measure::detail::masked;
using measure::detail::printable;
using measure::detail::utf8_size;

/// Writes the printable text and a line end to stderr in one piece, so that lines of several ranks do not mix. Local.
void stderr_line(std::string_view line);

/// Writes the text as it is, without a line end: several lines, or what moves a terminal's cursor.
void stderr_text(std::string_view text);

/// The text with blanks for its line ends: what an MPI library says in several lines.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace program
