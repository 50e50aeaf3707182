// SPDX-License-Identifier: BSD-3-Clause
/// Listing: lists and deletes stored runs. Local.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace measure::tool::runs {

/// A line for each run, the latest first: name, time of the first launch, number of launches, operations and ranks, MPI
/// library, and how the run ended. The line of a damaged run has an error instead.
[[nodiscard]] std::string listing(std::filesystem::path const& runs);

/// Deletes the folders of runs. Their entries in the archive are kept. Checks all names first.
/// \throws measure::UsageError if a run does not exist, or another process is writing it
/// \throws std::runtime_error if a file cannot be deleted
void delete_runs(std::filesystem::path const& runs, std::span<std::string const> names);

}  // namespace measure::tool::runs
