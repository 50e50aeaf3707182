// SPDX-License-Identifier: BSD-3-Clause
/// Drawing: plots to a PDF by a gnuplot that is started for it. Local.
#pragma once

#include "page/plot.hpp"

#include <optional>
#include <span>
#include <string>

namespace page {

/// Version of the gnuplot in PATH, "5.4"; nothing where there is none, or one that is older than 5.0.
/// \throws measure::Interrupted
[[nodiscard]] std::optional<std::string> gnuplot_version();

/// One PDF with a page for each plot that has points; an empty text where gnuplot cannot make it.
/// \throws measure::Interrupted, std::runtime_error where there is no room for temporary files
[[nodiscard]] std::string draw_pdf(std::span<Plot const> plots);

}  // namespace page
