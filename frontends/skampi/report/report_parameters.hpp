// SPDX-License-Identifier: BSD-3-Clause
/// Report parameters: what a file .skampi-report asks for. Pure and local.
#pragma once

#include "skampi/report/curves.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skampi::report {

/// Selected measurements in one plot.
struct Comparison {
    std::string title{};
    std::vector<std::string> measurements{};
    Quantity y = Quantity::time;
    std::optional<bool> log_x{};  ///< without: logarithmic for lengths
    std::optional<bool> log_y{};
};

/// What the report consists of.
struct Formats {
    bool html = true;  ///< the page
    bool pdf = true;   ///< all plots, a page for each
    bool ps = true;    ///< the same as PostScript
    bool png = true;   ///< two pictures for each plot: PNG and SVG
};

struct ReportParameters {
    std::size_t minimum_data = 4;  ///< points below which a curve is a table
    bool bar_charts = true;        ///< of the times of processes
    Formats formats{};
    std::string title{};                                   ///< empty: made of the machines' names
    std::optional<std::vector<Comparison>> comparisons{};  ///< nothing: only the default ones
    bool default_comparisons = false;                      ///< beside those of the file
};

/// \param path  for the messages
/// \throws program::ParseErrors with all faults
[[nodiscard]] ReportParameters read_report_parameters(std::string_view text, std::string const& path);

}  // namespace skampi::report
