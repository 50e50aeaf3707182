// SPDX-License-Identifier: BSD-3-Clause
/// Sources: the input files of a command.
#pragma once

#include "analysis/runs/launch.hpp"
#include "program/runtime/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// The content of an input; "-" is standard input. \throws program::ParseErrors if it cannot be read
[[nodiscard]] std::string text_of_source(std::string const& path);

/// The name of an input in messages: "standard input" for "-".
[[nodiscard]] std::string name_of_source(std::string const& path);

/// \throws measure::UsageError if standard input is given twice
void check_standard_input(std::span<std::string const> files);

/// \throws measure::UsageError if there is no file, or standard input is given twice
void check_sources(std::span<std::string const> files);

/// Removes the controls that `measure run` adds to its launches. Launches that measured only controls keep them.
void remove_controls(std::vector<Source>& sources);

/// Reads record files; "-" is standard input. Removes duplicate launches of a file, with a warning.
/// \throws program::ParseErrors with all errors of all files, including unreadable files
/// \throws measure::UsageError if there is no file, or standard input is given twice
[[nodiscard]] std::vector<Source> read_sources(std::span<std::string const> files, program::Session& session);

}  // namespace measure::tool
