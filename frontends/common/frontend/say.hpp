// SPDX-License-Identifier: BSD-3-Clause
/// say: one line on stderr.
#pragma once

#include <string>

namespace frontend {

/// Writes the text and a line end to stderr in one piece, so that lines of several ranks do not mix. Local.
void say(std::string line);

/// The text with blanks for its line ends.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace frontend
