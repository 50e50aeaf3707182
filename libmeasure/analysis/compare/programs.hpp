// SPDX-License-Identifier: BSD-3-Clause
/// Programs: compares sides from different suites, which use other names, units and options for the same operation.
/// Pure, local.
#pragma once

#include "analysis/compare/sides.hpp"
#include "analysis/runs/launch.hpp"

#include <string>
#include <vector>

namespace measure {

[[nodiscard]] bool are_of_several_suites(Split const& sides);

/// Result of converting both sides to common terms.
struct MatchedOperations {
    Difference methods{};                 ///< difference between the methods of both sides, to be listed first
    std::vector<std::string> warnings{};  ///< points that a side has more than once
};

/// Converts all launches to common terms (`in_common_terms`).
[[nodiscard]] MatchedOperations match_operations(Split& sides, std::vector<Launch>& noise);

/// Whether the difference exists between any two programs: name, version, timer or options.
[[nodiscard]] bool is_of_program(Difference const& difference);

}  // namespace measure
