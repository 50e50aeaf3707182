// SPDX-License-Identifier: BSD-3-Clause
/// Translates conditions into SQL. A name is a field of the run or of the point (`field_names`), or else a coordinate.
/// Pure.
#pragma once

#include "archive/database.hpp"
#include "shared/query.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// All fields of runs and points that conditions can use.
[[nodiscard]] std::vector<std::string> field_names();

/// The coordinate that the condition tests; empty if it tests a field.
[[nodiscard]] std::string coordinate_of(Condition const& condition);

/// Two SQL expressions on the rows `run` and `point`, with the values for their placeholders. "1" means no condition.
struct SearchTerms {
    std::string run = "1";
    std::vector<Cell> run_cells{};
    std::string point = "1";
    std::vector<Cell> point_cells{};
    [[nodiscard]] bool has_point() const { return point != "1"; }
};

/// \throws measure::UsageError if a condition compares with text that is not a number or date
[[nodiscard]] SearchTerms search_terms(std::span<Condition const> conditions);

}  // namespace measure::tool::archive
