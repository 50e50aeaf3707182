// SPDX-License-Identifier: BSD-3-Clause
/// Conditions: what a user looks for ("bytes>=1KiB", "mpi~MPICH"), as values and as SQL. Pure.
#pragma once

#include "archive/database.hpp"

#include <span>
#include <string>
#include <vector>

namespace measure::tool::archive {

/// NAME OPERATOR VALUE[,VALUE...] in one word. A name is a field of the run or of the point (`field_names`), or else a
/// coordinate; "at.NAME" is always a coordinate. Operators:
///   =  !=   one of the values; * and ? stand for any text, any character; letter case counts. A date is meant as far
///   as it is written: 2025-01 is a month ~  !~   has one of the values in it; letter case does not count <  <=  >  >=
///   of numbers (also 1KiB, 10us) and dates
/// != and !~ are true wherever = and ~ are not, also of what has no such field. An empty value means a missing one.
struct Condition {
    std::string name{};
    std::string op{};
    std::vector<std::string> values{};
    std::string text{};  ///< as it was written, for messages
};

/// \throws measure::UsageError that shows what a condition looks like
[[nodiscard]] Condition condition_from(std::string const& text);

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
