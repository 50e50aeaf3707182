// SPDX-License-Identifier: BSD-3-Clause
/// Summaries: the results of whole runs, ordered by importance, with display names, and as points for plots. Pure,
/// local.
#pragma once

#include "analysis/runs/series.hpp"
#include "page/plot.hpp"

#include <measure/read.hpp>
#include <measure/record.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace measure::tool {

/// The summaries by importance: first the headline, which has the name of the suite, then the other names, fewest
/// summaries first. Summaries with the same name keep the order of the record.
[[nodiscard]] std::vector<measure::Summary const*> in_order(measure::RunRecord const& record);

/// Whether the program marked a summary as not valid (`derived.valid` is false).
[[nodiscard]] bool is_invalid(measure::Summary const& summary);

/// The quantity for a summary's unit; nothing for a unit that points do not use.
[[nodiscard]] std::optional<measure::Quantity> quantity_of_unit(measure::Summary const& summary);

/// The coordinates of a summary: `ranks` and the texts in its `derived`.
[[nodiscard]] measure::Point place_of_summary(measure::Summary const& summary);

/// Display names of summaries: "access_bandwidth, ranks=2, write", with the coordinates that vary among summaries of
/// the same name. A headline has only its name.
class SummaryNames {
public:
    void add(measure::RunRecord const& record);
    [[nodiscard]] std::string of(measure::Summary const& summary) const;

private:
    struct Kind {
        std::string name{};
        bool is_headline = false;
        std::vector<measure::Point> all{};
    };
    std::vector<Kind> kinds_{};
};

/// A summary over all launches of each series: the median of their values.
struct SummaryRow {
    std::string name{};  ///< display name, see SummaryNames
    std::string unit{};
    std::vector<std::optional<double>> values{};  ///< one for each series
    std::vector<bool> invalid{};                  ///< one for each series: the program marked a value as not valid
};
[[nodiscard]] std::vector<SummaryRow> summary_rows(std::span<Series const> series);

/// A numeric option in which series differ and that is on their command lines: "scheduled_time", given by "-T".
struct ChosenOption {
    std::string name{};
    std::string word{};  ///< word before the number on the command line
};
[[nodiscard]] std::vector<ChosenOption> chosen_options(std::span<Series const> series);

/// Plots of the headlines over the number of processes and over each chosen option, with one curve for each system. If
/// a headline is the best of several summaries, one for each number of processes, all of them are drawn. Series belong
/// to one system if they are runs of one file or of files with one label. All series belong to one system if they ran
/// on the same hosts with the same MPI library, and each has its own single position on the axis. There is no plot for
/// a single value. Invalid values are marked.
struct HeadlinePlot {
    page::Plot plot{};
    std::string of{};                      ///< name of the summaries that are drawn: "partition_bandwidth"
    std::vector<std::string> differing{};  ///< see `Family::differing`
};
[[nodiscard]] std::vector<HeadlinePlot> headline_plots(std::span<Series const> series);

}  // namespace measure::tool
