// SPDX-License-Identifier: BSD-3-Clause
/// stderr_line: one line on stderr, in one piece.
#pragma once

#include <string>
#include <string_view>

namespace program {

/// Writes the text and a line end to stderr in one piece, so that lines of several ranks do not mix. Local.
void stderr_line(std::string line);

/// The same without a line end.
void stderr_text(std::string_view text);

/// The text with blanks for its line ends.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace program
