// SPDX-License-Identifier: BSD-3-Clause
/// Comparisons: several measurements in one plot. Pure and local.
#pragma once

#include "skampi/report/report_parameters.hpp"

#include <span>
#include <string>
#include <vector>

namespace skampi::report {

/// The plots, in the order of the comparisons. A comparison with fewer than two curves is left out. A default
/// comparison is also left out if it has fewer than two measurements or repeats an earlier one. Plots with more than
/// four curves have no error bars.
struct Compared {
    std::vector<Plot> plots{};
    std::vector<std::string> warnings{};  ///< items that the parameters request but the files do not contain
};

/// \param several  whether there are several files, whose names then appear in the legend
[[nodiscard]] Compared compare(ReportParameters const& parameters, std::span<Measured const> measurements,
                               bool several);

}  // namespace skampi::report
