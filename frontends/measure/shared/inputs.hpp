// SPDX-License-Identifier: BSD-3-Clause
/// Inputs: the launches of record files, and warnings of what is not whole in them.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/session.hpp"

#include <measure/read.hpp>

#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// The runs of a record file. \throws program::ParseErrors
[[nodiscard]] std::vector<Launch> launches_of(std::string const& text, std::string const& path);

/// Warns of lines among those of a run that are no record.
void warn_of_others(RunRecord const& record, std::string const& file, program::Session& session);

/// Warns of launches that were cut short, and of lines of their files that are no record.
void warn_of_gaps(std::span<Launch const> launches, program::Session& session);

/// Warns of launches with more ranks than cores.
void warn_of_crowd(std::span<Launch const> launches, program::Session& session);

/// Without runs that were given twice, whole or as far as one had come: counted again they would make errors too small.
/// The longer one of two stays, at the place of the first; a warning tells of the others.
[[nodiscard]] std::vector<Launch> each_once(std::vector<Launch> launches, program::Session& session);

inline constexpr char const* join_help =
    "join starts of different campaigns, commands and days too (MPI settings and options are still to be the same)";

}  // namespace measure::tool
