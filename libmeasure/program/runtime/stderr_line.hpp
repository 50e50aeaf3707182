// SPDX-License-Identifier: BSD-3-Clause
/// stderr_line: one line on stderr, in one piece, that a terminal shows as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace program {

/// Bytes of the UTF-8 character at the front of a text, which is not empty; 0: there is none. No overlong forms, no
/// surrogates, at most U+10FFFF. Pure.
[[nodiscard]] std::size_t utf8_size(std::string_view text) noexcept;

/// The text as a terminal may show it: control characters (C0, DEL, C1) and bytes that are not UTF-8 as \n, \t, \r or
/// \x1b, everything else as it is. Pure.
[[nodiscard]] std::string printable(std::string_view text);

/// The same with '?' for each such character, so that columns keep their width.
[[nodiscard]] std::string masked(std::string_view text);

/// Writes the printable text and a line end to stderr in one piece, so that lines of several ranks do not mix. Local.
void stderr_line(std::string_view line);

/// Writes the text as it is, without a line end: several lines, or what moves a terminal's cursor.
void stderr_text(std::string_view text);

/// The text with blanks for its line ends: what an MPI library says in several lines.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace program
