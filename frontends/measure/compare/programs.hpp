// SPDX-License-Identifier: BSD-3-Clause
/// Sides of different suites: their programs call the same operation by other names, in other units, with other
/// options.
#pragma once

#include "compare/sides.hpp"
#include "program/runtime/session.hpp"
#include "shared/inputs.hpp"

#include <vector>

namespace measure::tool {

[[nodiscard]] bool are_of_several_suites(Split const& sides);

/// Turns all launches into common terms (`in_common_terms`), and warns of points that a side has more than once.
/// \return the methods of both sides, as the difference that comes first
[[nodiscard]] Difference match_operations(Split& sides, std::vector<Launch>& noise, program::Session& session);

/// Whether it is a difference that any two programs have: their names, versions, timers and options.
[[nodiscard]] bool is_of_program(Difference const& difference);

}  // namespace measure::tool
