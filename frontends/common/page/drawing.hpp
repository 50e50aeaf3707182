// SPDX-License-Identifier: BSD-3-Clause
/// Drawing: draws plots into a PDF with gnuplot. Local.
#pragma once

#include "page/plot.hpp"

#include <optional>
#include <span>
#include <string>

namespace page {

/// Version of the gnuplot in PATH, "5.4"; empty without gnuplot or if it is older than 5.0.
/// \throws measure::Interrupted
[[nodiscard]] std::optional<std::string> gnuplot_version();

/// A PDF with a page for each plot that has points; an empty text if gnuplot fails.
/// \throws measure::Interrupted; std::runtime_error if temporary files cannot be created
[[nodiscard]] std::string draw_pdf(std::span<Plot const> plots);

}  // namespace page
