// SPDX-License-Identifier: BSD-3-Clause
/// Regions: the tree of an application's regions as text for a terminal. Pure, local.
#pragma once

#include "analysis/runs/launch.hpp"

#include <string>

namespace measure::tool {

/// Whether the run is one start of an application with regions (docs/regions.md). Joined starts have no times of ranks.
[[nodiscard]] bool has_regions(Launch const& launch);

/// A line for each region, below the region it was entered in and indented: number of entries, exclusive and inclusive
/// time, and how the inclusive time differs between ranks. \param launch  that has regions
[[nodiscard]] std::string regions_text(Launch const& launch);

}  // namespace measure::tool
