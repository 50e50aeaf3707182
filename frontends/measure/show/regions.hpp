// SPDX-License-Identifier: BSD-3-Clause
/// Regions: the tree of an application's regions, for a terminal. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <string>

namespace measure::tool {

/// Whether the record is of one launch of an application with regions (docs/regions.md). Merged records have no times
/// of ranks.
[[nodiscard]] bool has_regions(Launch const& launch);

/// A line for each region, indented below its parent: number of entries, exclusive and inclusive time, and the spread
/// of the inclusive time over ranks. \param launch  must have regions
[[nodiscard]] std::string regions_text(Launch const& launch);

}  // namespace measure::tool
