// SPDX-License-Identifier: BSD-3-Clause
/// Report: what records have to say, as a document. Pure and local.
#pragma once

#include "page/document.hpp"
#include "shared/curves.hpp"

#include <measure/report.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace measure_tool {

struct ReportSettings {
    std::string title{};
    /// What the reader is to know beside what the records say: a filter.
    std::vector<std::string> notices{};
    std::size_t most_plots = 60;   ///< of results; further ones are named, their numbers stand in the tables
    std::size_t most_curves = 8;   ///< in one plot
    std::size_t most_samples = 8;  ///< points whose samples are drawn
};

/// Warnings, environment, results point by point with plots, spread over ranks, clocks, samples; `more` stands behind
/// the results. A part that has nothing to say is left out, except the warnings: that there are none is said.
[[nodiscard]] page::Document report(std::span<Series const> series, ReportSettings const& settings,
                                    std::vector<page::Section> more = {});

/// A text for a file name: letters, digits, - and _.
[[nodiscard]] std::string slug(std::string_view text);

/// Whether the program says that a number of a whole run is not valid.
[[nodiscard]] bool is_invalid(measure::Summary const& summary);

// The parts, each in a file of its own. A section without elements is left out.

/// What to know before looking at any number.
[[nodiscard]] page::Section warnings_section(std::span<Series const> series, std::span<std::string const> notices);
/// Where and how: what differs between runs stands out.
[[nodiscard]] page::Section environment_section(std::span<Series const> series);
/// The numbers that stand for a whole run.
[[nodiscard]] page::Section summary_section(std::span<Series const> series);
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

/// How many intervals end beyond what a plot's axis shows; empty where none does.
[[nodiscard]] std::string cut_intervals_text(page::Plot const& plot);

/// The plot with so many curves at most, chosen evenly. \return how many it had
std::size_t limit_curves(page::Plot& plot, std::size_t most);

/// The plot with so many points in a curve at most, chosen evenly. \return how many were left out
std::size_t thin_out(page::Plot& plot, std::size_t most);

/// A table of many columns as several of at most five behind the first, which stands in each.
[[nodiscard]] std::vector<page::Table> in_columns(page::Table const& table);

}  // namespace measure_tool
