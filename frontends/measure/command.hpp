// SPDX-License-Identifier: BSD-3-Clause
/// Commands: what `measure` can do, as one explicit table.
#pragma once

#include "frontend/main.hpp"

#include <span>

namespace measure_tool {

/// One command: a program of its own behind a common name, or a group of commands.
struct Command {
    char const* name;
    char const* text;  ///< one line for the overview
    frontend::Suite (*suite)();
    std::span<Command const> (*commands)() noexcept = nullptr;  ///< of a group, which has no suite
};

[[nodiscard]] std::span<Command const> commands() noexcept;

[[nodiscard]] Command archive_command();
[[nodiscard]] frontend::Suite compare_command();
[[nodiscard]] frontend::Suite doctor_command();
[[nodiscard]] frontend::Suite record_export_command();
[[nodiscard]] frontend::Suite guidelines_command();
[[nodiscard]] frontend::Suite launches_command();
[[nodiscard]] frontend::Suite merge_command();
[[nodiscard]] frontend::Suite model_command();
[[nodiscard]] frontend::Suite report_command();

}  // namespace measure_tool
