// SPDX-License-Identifier: BSD-3-Clause
/// Files: input that is read once for all ranks. For outputs see output_file.hpp.
#pragma once

#include "program/cli/parse_errors.hpp"
#include "program/runtime/output_file.hpp"

#include <measure/comm.hpp>

#include <functional>
#include <string>

namespace program {

/// Inputs are limited to 64 MiB, so that an endless input is refused before memory is exhausted.
enum class Limit {
    file,  ///< limits the whole text: options, parameters, lists of names
    line,  ///< limits each line: records
};

/// The text of a file, a pipe or a terminal; "-" is standard input. Local.
/// \throws measure::UsageError if it cannot be read, is a directory or a device, or exceeds the limit
[[nodiscard]] std::string file_text(std::string const& path, Limit limit = Limit::file);

/// The text of an input on every rank. Only the root reads the file, which must not be an output (`note_input`). "-" is
/// an ordinary file name here. Collective. \throws measure::UsageError on all ranks, as file_text and note_input
[[nodiscard]] std::string read_file(measure::Comm const& comm, std::string const& path, Limit limit = Limit::file);

/// Calls `read` with the text of such an input on the root only, for inputs that other ranks do not need. Collective.
/// \throws measure::UsageError on all ranks, as read_file and `read`; the root rethrows ParseErrors unchanged
void read_on_root(measure::Comm const& comm, std::string const& path, Limit limit,
                  std::function<void(std::string const& text)> const& read);

/// Reads an input in pieces of whole lines, about 1 MiB each, so that no rank holds the whole text. The root calls
/// `read` with a piece, then all ranks call `share`. Only the last piece may lack its line end or be empty.
/// Collective. \throws measure::UsageError on all ranks, as read_on_root with Limit::line
void read_pieces(measure::Comm const& comm, std::string const& path,
                 std::function<void(std::string const& piece)> const& read, std::function<void()> const& share);

/// Whether two paths name the same file by their text alone. Links are not followed, so ranks without access to the
/// file system get the same result.
[[nodiscard]] bool is_same_path(std::string const& a, std::string const& b);

}  // namespace program
