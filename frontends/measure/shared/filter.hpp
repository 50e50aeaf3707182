// SPDX-License-Identifier: BSD-3-Clause
/// Filter: which points of the records a command works on. Pure and local.
#pragma once

#include "program/cli/values.hpp"
#include "shared/query.hpp"
#include "shared/sources.hpp"

#include <span>
#include <vector>

namespace measure::tool {

/// The help of an option that takes conditions.
inline constexpr char const* filter_help = "only points with NAME=A,B.. (!= ~ !~ < <= > >=): benchmark, quantity, "
                                           "verdict, flag or a coordinate; * and ? match; "
                                           "given again: both";

/// A condition on points, of an option. NAME is `benchmark`, `quantity`, `verdict`, `flag` or a coordinate.
/// \throws measure::UsageError that names option and value
[[nodiscard]] Condition filter_from(program::Argument const& argument);

/// Removes the points that do not fulfil all conditions. \return how many points there were
/// \throws measure::UsageError where no point is left, with the names that there are
std::size_t filter(std::vector<Source>& sources, std::span<Condition const> conditions);

}  // namespace measure::tool
