// SPDX-License-Identifier: BSD-3-Clause
/// Filter: selects the points of records that a command uses. Pure, local.
#pragma once

#include "program/cli/values.hpp"
#include "shared/query.hpp"
#include "shared/sources.hpp"

#include <span>
#include <vector>

namespace measure::tool {

/// Help text of --filter.
inline constexpr char const* filter_help =
    "use only points with NAME=A,B.. (one of these values; wildcards * and ?), NAME~A,B.. (contains one of them), "
    "their opposites != and !~, or NAME<A (also <= > >=); NAME: benchmark, quantity, verdict (status), flag or a "
    "coordinate; several conditions must all hold";

/// Parses a condition on points. NAME is `benchmark`, `quantity`, `verdict`, `flag` or a coordinate.
/// \throws measure::UsageError that names option and value
[[nodiscard]] Condition filter_from(program::Argument const& argument);

/// Removes the points that do not fulfil all conditions. \return the number of points before
/// \throws measure::UsageError if no point is left, with the names of the coordinates
std::size_t filter(std::vector<Source>& sources, std::span<Condition const> conditions);

}  // namespace measure::tool
