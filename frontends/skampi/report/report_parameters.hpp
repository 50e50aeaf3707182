// SPDX-License-Identifier: BSD-3-Clause
/// Report parameters: the contents of a .skampi-report file. Pure and local.
#pragma once

#include "skampi/report/curves.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skampi::report {

/// Several measurements in one plot.
struct Comparison {
    std::string title{};
    std::vector<std::string> measurements{};
    Quantity y = Quantity::time;
    std::optional<bool> log_x{};  ///< if not given: logarithmic for lengths, otherwise linear
    std::optional<bool> log_y{};
};

/// The output formats of a report.
struct Formats {
    bool html = true;  ///< the page report.html
    bool pdf = true;   ///< all plots, one on each page
    bool ps = true;    ///< all plots as PostScript
    bool png = true;   ///< each plot as PNG and as SVG
};

struct ReportParameters {
    std::size_t minimum_data = 4;  ///< a curve with fewer points is shown as a table
    bool bar_charts = true;        ///< whether to draw the times of the processes
    Formats formats{};
    std::string title{};                                   ///< empty: built from the names of the machines
    std::optional<std::vector<Comparison>> comparisons{};  ///< not given: only the default comparisons
    bool default_comparisons = false;  ///< whether to add the default comparisons to those in the file
};

/// \param path  name of the file in error messages
/// \throws program::ParseErrors with all errors in the file
[[nodiscard]] ReportParameters read_report_parameters(std::string_view text, std::string const& path);

}  // namespace skampi::report
