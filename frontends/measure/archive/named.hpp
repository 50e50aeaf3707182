// SPDX-License-Identifier: BSD-3-Clause
/// Named: finds the runs of an archive that a word on the command line names. Local.
#pragma once

#include "archive/archive.hpp"

#include <string>
#include <vector>

namespace measure::tool::archive {

/// Help text of an argument that names runs.
inline constexpr char const* named_help = "ID, label, beginning of a date (2025-01-31), last or last~N";

/// The runs that a word names, oldest first:
///   a label     all runs with this label
///   last        the newest run with all of its campaign; last~1 is the previous campaign or run, and so on
///   2025-01-31  all runs launched then; any prefix of a time that begins with the year
///   an ID       at least four digits of the run's hash
/// \throws measure::UsageError with the closest names if there is no such run
[[nodiscard]] std::vector<RunEntry> runs_named(Archive const& archive, std::string const& word);

/// The records of these runs, one after another. \throws measure::UsageError if a record other than the last ends in
/// the middle of a line
[[nodiscard]] std::string contents(Archive const& archive, std::vector<RunEntry> const& runs);

}  // namespace measure::tool::archive
