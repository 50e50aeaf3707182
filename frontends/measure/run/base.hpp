// SPDX-License-Identifier: BSD-3-Clause
/// Base: finds the baseline, the earlier run that a run is compared with, and the runs before it. Local.
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

/// The run to be compared, and the folder of all runs.
struct OwnRun {
    std::filesystem::path runs{};        ///< folder of all runs
    std::string name{};                  ///< name of this run
    std::span<Launch const> launches{};  ///< launches of this run, at least one
    program::Session* session{};         ///< receives warnings about damaged files
};

/// The result of a search for a baseline.
struct Base {
    std::optional<Opponent> run{};
    std::size_t other_settings = 0;  ///< number of earlier runs with common points, but different settings
};

/// The latest earlier run with all points of this run, otherwise the latest run with the most points in common. It must
/// be complete, have at least `fewest_starts` counted launches in its most frequent state, and have the same number of
/// ranks, hosts and MPI settings. The MPI library itself may differ.
[[nodiscard]] Base latest_base(OwnRun const& own);

/// The run with this name, whatever its settings; nothing if it has no launch whose campaign has this name.
[[nodiscard]] Base named_base(OwnRun const& own, std::string const& name);

/// Merged runs before this one that are of the same kind (`is_same_kind`) and have a point in common. At most ten, the
/// latest first.
[[nodiscard]] std::vector<Launch> runs_before(OwnRun const& own);

/// Checks the run that --compare names. \param compare  "last", "none" or a name
/// \throws measure::UsageError if the run does not exist or is damaged
void check_base(std::filesystem::path const& runs, std::string const& compare);

}  // namespace measure::tool::runs
