// SPDX-License-Identifier: BSD-3-Clause
/// Comparisons: selected measurements in one plot. Pure and local.
#pragma once

#include "skampi/report/report_parameters.hpp"

#include <span>
#include <string>
#include <vector>

namespace skampi::report {

/// The plots, in the order of the comparisons; one that has fewer than two curves is left out, and one of the default
/// ones that has fewer than two measurements or the same as one before. Plots of more than four curves have no
/// intervals.
struct Compared {
    std::vector<Plot> plots{};
    std::vector<std::string> warnings{};  ///< of what the parameters ask for and the files do not have
};

/// \param several  files: their names stand in the legend
[[nodiscard]] Compared compare(ReportParameters const& parameters, std::span<Measured const> measurements,
                               bool several);

}  // namespace skampi::report
