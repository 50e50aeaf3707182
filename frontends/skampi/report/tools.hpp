// SPDX-License-Identifier: BSD-3-Clause
/// Tools: other programs that the report is made with. Local.
#pragma once

#include <string_view>

namespace skampi::report {

/// Whether PATH has a program of that name.
[[nodiscard]] bool has_program(std::string_view name);

}  // namespace skampi::report
