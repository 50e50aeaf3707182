// SPDX-License-Identifier: BSD-3-Clause
/// stderr_line: writes a printable line to stderr in a single write.
#pragma once

#include "analysis/core/printable.hpp"

#include <string>
#include <string_view>

namespace program {

using measure::detail::masked;
using measure::detail::printable;
using measure::detail::utf8_size;

/// Writes the printable text and a line end to stderr in a single write, so that lines of several ranks do not mix.
/// Local.
void stderr_line(std::string_view line);

/// Writes the text unchanged and without a line end, for several lines or terminal control sequences.
void stderr_text(std::string_view text);

/// The text with line ends replaced by blanks, for messages of MPI libraries.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace program
