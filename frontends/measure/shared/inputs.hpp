// SPDX-License-Identifier: BSD-3-Clause
/// Inputs: the launches of record files, and warnings about incomplete records.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/session.hpp"

#include <measure/read.hpp>

#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// The launches of a record file. \param path  for messages  \throws program::ParseErrors
[[nodiscard]] std::vector<Launch> launches_of(std::string const& text, std::string const& path);

/// Warns of lines between the records that are not records.
void warn_of_others(RunRecord const& record, std::string const& file, program::Session& session);

/// Warns of incomplete launches, and of lines in their files that are not records.
void warn_of_gaps(std::span<Launch const> launches, program::Session& session);

/// Warns of launches with more ranks than cores.
void warn_of_crowd(std::span<Launch const> launches, program::Session& session);

/// Removes duplicate launches, also incomplete copies, because counting a launch twice would make errors too small.
/// Keeps the copy with more points, in the position of the first. Warns of the duplicates.
[[nodiscard]] std::vector<Launch> each_once(std::vector<Launch> launches, program::Session& session);

inline constexpr char const* join_help =
    "combine launches of different campaigns, commands and days (MPI settings and options must still be equal)";

}  // namespace measure::tool
