// SPDX-License-Identifier: BSD-3-Clause
/// Programs: sides of different suites, whose programs call the same operation by other names, in other units, with
/// other options. Pure, local.
#pragma once

#include "analysis/compare/sides.hpp"
#include "analysis/runs/launch.hpp"

#include <string>
#include <vector>

namespace measure {

[[nodiscard]] bool are_of_several_suites(Split const& sides);

/// Sides in common terms.
struct MatchedOperations {
    Difference methods{};                 ///< of both sides: the difference that comes first
    std::vector<std::string> warnings{};  ///< of points that a side has more than once
};

/// Turns all launches into common terms (`in_common_terms`).
[[nodiscard]] MatchedOperations match_operations(Split& sides, std::vector<Launch>& noise);

/// Whether it is a difference that any two programs have: their names, versions, timers and options.
[[nodiscard]] bool is_of_program(Difference const& difference);

}  // namespace measure
