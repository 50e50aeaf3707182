// SPDX-License-Identifier: BSD-3-Clause
/// Roofline plots. Pure, local.
#pragma once

#include "analysis/models/roofline.hpp"
#include "page/plot.hpp"

namespace measure::tool {

/// Rates over arithmetic intensity, with roofs for the highest bandwidth and for the bandwidth at the largest size.
[[nodiscard]] page::Plot roofline_plot(Roofline const& roofline);
/// Operand bandwidth of BLAS routines (blasbench) and memory bandwidth (cachebench) over the problem size.
[[nodiscard]] page::Plot bandwidth_plot(Roofline const& roofline);

}  // namespace measure::tool
