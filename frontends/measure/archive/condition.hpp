// SPDX-License-Identifier: BSD-3-Clause
/// Conditions as SQL. A name is a field of the run or of the point (`field_names`), or else a coordinate. Pure.
#pragma once

#include "archive/database.hpp"
#include "shared/query.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// All fields of runs and points that conditions know.
[[nodiscard]] std::vector<std::string> field_names();

/// The coordinate that the condition is about; empty where it is about a field.
[[nodiscard]] std::string coordinate_of(Condition const& condition);

/// Two SQL expressions on the rows `run` and `point`, "1" where nothing is asked, with the values for their places.
struct SearchTerms {
    std::string run = "1";
    std::vector<Cell> run_cells{};
    std::string point = "1";
    std::vector<Cell> point_cells{};
    [[nodiscard]] bool has_point() const { return point != "1"; }
};

/// \throws measure::UsageError for a comparison with what is no number or date
[[nodiscard]] SearchTerms search_terms(std::span<Condition const> conditions);

}  // namespace measure::tool::archive
