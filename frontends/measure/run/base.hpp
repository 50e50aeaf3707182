// SPDX-License-Identifier: BSD-3-Clause
/// Base: the earlier run that a run is compared with, and the runs before it. Local.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/session.hpp"
#include "run/answer.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure::tool::runs {

/// The run that is to be compared, among the runs of its folder.
struct OwnRun {
    std::filesystem::path runs{};      ///< folder of all runs
    std::string name{};                ///< of this one
    std::span<Launch const> starts{};  ///< at least one
    program::Session* session{};       ///< is told of damaged files
};

/// What the search for a base has found.
struct Base {
    std::optional<Opponent> run{};
    std::size_t other_settings = 0;  ///< earlier runs with points in common that were passed over for their settings
};

/// The latest earlier run that has all points of this one, otherwise the latest of those that have most. It has ended,
/// has `fewest_starts` starts that count, and was measured with as many ranks, on the same hosts and with the same MPI
/// settings; the MPI library itself may be another one.
[[nodiscard]] Base latest_base(OwnRun const& own);

/// The run of that name, whatever its settings; nothing where it has no start of that name.
[[nodiscard]] Base named_base(OwnRun const& own, std::string const& name);

/// Joined runs before this one, of its kind (`is_same_kind`) and with a point in common, the latest first: ten at most.
[[nodiscard]] std::vector<Launch> runs_before(OwnRun const& own);

/// Checks that a run that is named for comparison is there. \param compare  "last", "none" or a name
/// \throws measure::UsageError where it is not, or is damaged
void check_base(std::filesystem::path const& runs, std::string const& compare);

}  // namespace measure::tool::runs
