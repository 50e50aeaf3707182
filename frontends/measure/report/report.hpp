// SPDX-License-Identifier: BSD-3-Clause
/// Report: turns records into a document. Pure and local.
#pragma once

#include "analysis/runs/series.hpp"
#include "page/document.hpp"

#include <measure/report.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure::tool {

struct ReportSettings {
    std::string title{};
    /// Facts that the reader must know and that the records do not contain, such as a filter.
    std::vector<std::string> notices{};
    std::size_t most_plots = 60;   ///< plots of results; further plots are only counted, the tables have their numbers
    std::size_t most_curves = 8;   ///< curves in one plot
    std::size_t most_samples = 8;  ///< points whose samples are drawn
};

/// The document. It begins with the overview: what was measured where, the main numbers, the first plots. Warnings,
/// results point by point with the other plots, `more`, spread over ranks, clocks, samples and environment follow.
/// Empty parts are left out, except the warnings, which then state that there are none.
[[nodiscard]] page::Document report(std::span<Series const> series, ReportSettings const& settings,
                                    std::vector<page::Section> more = {});

/// The text as part of a file name: letters, digits, - and _.
[[nodiscard]] std::string slug(std::string_view text);

/// "mpiperf with MPICH 4.0.2 on node1, ranks 2, 2025-01-31, 3 launches."
[[nodiscard]] std::string lead_text(std::span<Series const> series);

/// At most six numbers: the headline and the summaries that follow it, each benchmark's smallest size (and the largest
/// if there is room), and the share of valid samples. Among several series, a number comes from the first that has the
/// benchmark and shows the values of the others next to it.
[[nodiscard]] page::Tiles main_numbers(std::span<Series const> series);

/// Names of the rows and options of the environment in which runs of one suite differ. Rows about the machine are
/// compared over all runs.
[[nodiscard]] std::vector<std::string> differing_names(std::span<Series const> series);

/// A summary's value and unit. If the unit is one that records use, it gets a fitting prefix.
[[nodiscard]] std::pair<std::string, std::string> summary_text(measure::Summary const& summary);

/// "a, b, c and 4 more"
[[nodiscard]] std::string short_list(std::span<std::string const> texts);

// The parts, each implemented in its own file. A section without elements is left out.

/// Anything to know before reading the numbers.
[[nodiscard]] page::Section warnings_section(std::span<Series const> series, std::span<std::string const> notices);
/// Where and how the runs were made. Differences between runs are marked.
[[nodiscard]] page::Section environment_section(std::span<Series const> series);
/// The headlines over processes and over options, if there are several values.
[[nodiscard]] std::vector<page::Figure> headline_figures(std::span<Series const> series,
                                                         ReportSettings const& settings);
/// The results of whole runs, with several series side by side.
[[nodiscard]] page::Section summary_section(std::span<Series const> series);
/// The operations that programs of several suites have measured, in common terms: a plot and a table for each.
[[nodiscard]] page::Section programs_section(std::span<Series const> series, ReportSettings const& settings);
/// Each benchmark's plots and the table of its points.
[[nodiscard]] page::Section results_section(std::span<Series const> series, ReportSettings const& settings);
/// Differences between the ranks.
[[nodiscard]] page::Section ranks_section(std::span<Series const> series, ReportSettings const& settings);
/// Accuracy of the ranks' clocks.
[[nodiscard]] page::Section clocks_section(std::span<Series const> series);
/// Distributions and time series of samples, for points that kept them.
[[nodiscard]] page::Section samples_section(std::span<Series const> series, ReportSettings const& settings);

/// A table with one row per point. Each value is shown with its error, its number of samples and its stop reason.
/// \param points  the points with their labels; the labels have a column if there are several series
[[nodiscard]] page::Table points_table(std::span<std::pair<std::string, measure::Record const*> const> points,
                                       bool with_labels);

/// Reduces the plot to at most `most` curves, chosen evenly. \return number of curves before
std::size_t limit_curves(page::Plot& plot, std::size_t most);

/// Reduces each curve to at most `most` points, chosen evenly. \return number of points removed
std::size_t thin_out(page::Plot& plot, std::size_t most);

/// Splits a wide table into tables of at most five columns after the first, which is repeated in each.
[[nodiscard]] std::vector<page::Table> in_columns(page::Table const& table);

}  // namespace measure::tool
