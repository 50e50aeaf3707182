// SPDX-License-Identifier: BSD-3-Clause
/// Sources: the record files that a command works on.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// The text of an input; "-" is standard input. \throws program::ParseErrors where it cannot be read
[[nodiscard]] std::string text_of_source(std::string const& path);

/// What an input is called in messages: "standard input" for "-".
[[nodiscard]] std::string name_of_source(std::string const& path);

/// \throws measure::UsageError where standard input is named twice
void check_standard_input(std::span<std::string const> files);

/// \throws measure::UsageError where there is no file, or where standard input is named twice
void check_sources(std::span<std::string const> files);

/// Removes the controls of launches that have measured something else as well: `measure run` adds them to its starts.
void remove_controls(std::vector<Source>& sources);

/// Reads record files; a run that a file has twice counts once, with a warning; "-" is standard input.
/// \throws program::ParseErrors with every fault of every file, unreadable ones included; measure::UsageError where
///         there is no file, or where standard input is named twice
[[nodiscard]] std::vector<Source> read_sources(std::span<std::string const> files, program::Session& session);

}  // namespace measure::tool
