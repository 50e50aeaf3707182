// SPDX-License-Identifier: BSD-3-Clause
/// Roofline plots. Pure, local.
#pragma once

#include "analysis/models/roofline.hpp"
#include "page/plot.hpp"

namespace measure::tool {

/// Rates over intensity, with the roofs of the highest bandwidth and of that at the largest size.
[[nodiscard]] page::Plot roofline_plot(Roofline const& roofline);
/// Bandwidth as BLASBench counts it and as CacheBench measures it, over problem size.
[[nodiscard]] page::Plot bandwidth_plot(Roofline const& roofline);

}  // namespace measure::tool
