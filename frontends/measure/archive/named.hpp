// SPDX-License-Identifier: BSD-3-Clause
/// Named: which runs of an archive a word of a command line means. Local.
#pragma once

#include "archive/archive.hpp"

#include <string>
#include <vector>

namespace measure::tool::archive {

/// The help of an argument that is such a word.
inline constexpr char const* named_help = "ID, label, begin of a date (2025-01-31), last or last~N";

/// The runs that a word means, oldest start first:
///   a label     all runs that have it
///   last        the newest run, with all of its campaign; last~1 what was started before that, and so on
///   2025-01-31  all runs that were started then: any begin of a time, from the year on
///   an ID       at least four digits of its name
/// \throws measure::UsageError with what is near where there is none
[[nodiscard]] std::vector<RunEntry> runs_named(Archive const& archive, std::string const& word);

/// The records of these runs, one after another. \throws measure::UsageError where one that is not the last ends in
/// half a line
[[nodiscard]] std::string contents(Archive const& archive, std::vector<RunEntry> const& runs);

}  // namespace measure::tool::archive
