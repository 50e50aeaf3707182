// SPDX-License-Identifier: BSD-3-Clause
/// The commands of `measure archive`, and the options that they share.
#pragma once

#include "program/runtime/main.hpp"
#include "shared/command.hpp"

#include <string>

namespace measure::tool::archive {

/// Declares -a,--archive. `path` must outlive the parser's `parse`. Its default comes from the environment.
void declare_archive(program::Parser& parser, std::string& path);

[[nodiscard]] program::Suite compare_command();
[[nodiscard]] program::Suite list_command();
[[nodiscard]] program::Suite query_command();
[[nodiscard]] program::Suite site_command();

}  // namespace measure::tool::archive
