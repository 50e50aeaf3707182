// SPDX-License-Identifier: BSD-3-Clause
/// Report: what records have to say, as a document. Pure and local.
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
    /// What the reader is to know beside what the records say: a filter.
    std::vector<std::string> notices{};
    std::size_t most_plots = 60;   ///< of results; further ones are named, their numbers stand in the tables
    std::size_t most_curves = 8;   ///< in one plot
    std::size_t most_samples = 8;  ///< points whose samples are drawn
};

/// First what a reader comes for: what was measured where, the main numbers, the first plots. Then warnings, results
/// point by point with the other plots, `more`, spread over ranks, clocks, samples, environment. A part that has
/// nothing to say is left out, except the warnings: that there are none is said.
[[nodiscard]] page::Document report(std::span<Series const> series, ReportSettings const& settings,
                                    std::vector<page::Section> more = {});

/// A text for a file name: letters, digits, - and _.
[[nodiscard]] std::string slug(std::string_view text);

/// "mpiperf with MPICH 4.0.2 on node1, ranks 2, 2025-01-31, 3 launches."
[[nodiscard]] std::string lead_text(std::span<Series const> series);

/// Six numbers at most: the headline and the summaries that follow it, each benchmark's smallest size, the largest too
/// where there is room, and how many samples were valid. With several series they are of the first that has the
/// benchmark, with the values of the others beside them.
[[nodiscard]] page::Tiles main_numbers(std::span<Series const> series);

/// Names of what runs of one suite differ in, and machines of all: rows and options of the environment.
[[nodiscard]] std::vector<std::string> differing_names(std::span<Series const> series);

/// A summary's value in multiples that fit where its unit is one of the records', and the unit.
[[nodiscard]] std::pair<std::string, std::string> summary_text(measure::Summary const& summary);

/// "a, b, c and 4 more"
[[nodiscard]] std::string short_list(std::span<std::string const> texts);

// The parts, each in a file of its own. A section without elements is left out.

/// What to know before looking at any number.
[[nodiscard]] page::Section warnings_section(std::span<Series const> series, std::span<std::string const> notices);
/// Where and how: what differs between runs stands out.
[[nodiscard]] page::Section environment_section(std::span<Series const> series);
/// The headlines over processes and over options, as far as several numbers are known.
[[nodiscard]] std::vector<page::Figure> headline_figures(std::span<Series const> series,
                                                         ReportSettings const& settings);
/// The numbers that stand for a whole run, of several series side by side.
[[nodiscard]] page::Section summary_section(std::span<Series const> series);
/// The operations that programs of several suites have measured, in common terms: a plot and a table of each.
[[nodiscard]] page::Section programs_section(std::span<Series const> series, ReportSettings const& settings);
/// Each benchmark's plots and the table of its points.
[[nodiscard]] page::Section results_section(std::span<Series const> series, ReportSettings const& settings);
/// How far the ranks are apart.
[[nodiscard]] page::Section ranks_section(std::span<Series const> series, ReportSettings const& settings);
/// How well the ranks' clocks are known.
[[nodiscard]] page::Section clocks_section(std::span<Series const> series);
/// Distributions and courses of samples, where they were kept.
[[nodiscard]] page::Section samples_section(std::span<Series const> series, ReportSettings const& settings);

/// A table with a row for each point: a number never stands without its error, its count and what stopped it.
/// \param points  with the label of each; the labels have a column where there are several series
[[nodiscard]] page::Table points_table(std::span<std::pair<std::string, measure::Record const*> const> points,
                                       bool with_labels);

/// The plot with so many curves at most, chosen evenly. \return how many it had
std::size_t limit_curves(page::Plot& plot, std::size_t most);

/// The plot with so many points in a curve at most, chosen evenly. \return how many were left out
std::size_t thin_out(page::Plot& plot, std::size_t most);

/// A table of many columns as several of at most five behind the first, which stands in each.
[[nodiscard]] std::vector<page::Table> in_columns(page::Table const& table);

}  // namespace measure::tool
