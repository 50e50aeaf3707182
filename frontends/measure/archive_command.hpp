// SPDX-License-Identifier: BSD-3-Clause
/// The commands of `measure archive`, and what their options have in common.
#pragma once

#include "command.hpp"
#include "frontend/main.hpp"

#include <span>
#include <string>

namespace measure_tool::archive {

/// Declares -a,--archive. `path` must outlive the parser's `parse`; it begins as what the environment says.
void declare_archive(frontend::Parser& parser, std::string& path);

/// What `archive` commands take of the common options: they write no records.
[[nodiscard]] frontend::CommonUse archive_use();

[[nodiscard]] std::span<Command const> commands() noexcept;

[[nodiscard]] frontend::Suite add_command();
[[nodiscard]] frontend::Suite compare_command();
[[nodiscard]] frontend::Suite list_command();
[[nodiscard]] frontend::Suite query_command();
[[nodiscard]] frontend::Suite export_command();
[[nodiscard]] frontend::Suite mark_command();
[[nodiscard]] frontend::Suite remove_command();
[[nodiscard]] frontend::Suite check_command();
[[nodiscard]] frontend::Suite site_command();

}  // namespace measure_tool::archive
