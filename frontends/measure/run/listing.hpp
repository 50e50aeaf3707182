// SPDX-License-Identifier: BSD-3-Clause
/// Listing: the runs that are kept: which there are, and how to be rid of some. Local.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace measure::tool::runs {

/// A line for each run, the latest first: name, time of its first start, starts, operations, ranks, MPI library, and
/// how it ended. One that is damaged has a line that says so.
[[nodiscard]] std::string listing(std::filesystem::path const& runs);

/// Deletes runs with all that they have kept; their entries in the archive stay. Checks all names first.
/// \throws measure::UsageError where there is no such run, or another process writes it
/// \throws std::runtime_error where a file cannot be deleted
void delete_runs(std::filesystem::path const& runs, std::span<std::string const> names);

}  // namespace measure::tool::runs
