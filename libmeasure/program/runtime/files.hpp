// SPDX-License-Identifier: BSD-3-Clause
/// Files: input read once for all ranks. Outputs: output_file.hpp.
#pragma once

#include "program/cli/parse_errors.hpp"
#include "program/runtime/output_file.hpp"

#include <measure/comm.hpp>

#include <functional>
#include <string>

namespace program {

/// 64 MiB are the most that an input may have, so that one without an end is refused before memory is gone.
enum class Limit {
    file,  ///< of the whole text: options, parameters, lists of names
    line,  ///< of each line: records
};

/// The text of a file, a pipe or a terminal; "-" is standard input. Local.
/// \throws measure::UsageError where it cannot be read, is a directory or a device, or has more than the limit
[[nodiscard]] std::string file_text(std::string const& path, Limit limit = Limit::file);

/// The text of an input on every rank; only the root reads it, and no output may be this file (`note_input`). "-" is a
/// file like others. Collective. \throws measure::UsageError on all ranks, as file_text and note_input do
[[nodiscard]] std::string read_file(measure::Comm const& comm, std::string const& path, Limit limit = Limit::file);

/// Gives the text of such an input to `read` on the root alone: for what the others need neither as text nor as values.
/// Collective. \throws measure::UsageError on all ranks, as read_file and `read` do; on the root ParseErrors as such
void read_on_root(measure::Comm const& comm, std::string const& path, Limit limit,
                  std::function<void(std::string const& text)> const& read);

/// The same in pieces of whole lines, about a MiB each, so that no rank ever holds the text: after each piece that
/// `read` was given on the root, `share` is called on all ranks. Only the last piece may end without a line end, or be
/// empty. Collective. \throws measure::UsageError on all ranks, as read_on_root with Limit::line
void read_pieces(measure::Comm const& comm, std::string const& path,
                 std::function<void(std::string const& piece)> const& read, std::function<void()> const& share);

/// Whether two paths, as they are written, name one file. Links are not followed: ranks without the file system agree.
[[nodiscard]] bool is_same_path(std::string const& a, std::string const& b);

}  // namespace program
