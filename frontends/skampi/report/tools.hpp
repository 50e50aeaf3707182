// SPDX-License-Identifier: BSD-3-Clause
/// Tools: other programs that the report is made with. Local.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skampi::report {

/// Whether PATH has a program of that name.
[[nodiscard]] bool has_program(std::string_view name);

/// Runs a program to its end, without input.
/// \param command  name and arguments, at least the name
/// \param folder   where it runs
/// \param log      gets what it prints, added to what is there; relative to `folder`
/// \return its exit code; 127 where it cannot be started, 128 + signal where one ended it
[[nodiscard]] int run_program(std::vector<std::string> const& command, std::string const& folder,
                              std::string const& log);

}  // namespace skampi::report
