// SPDX-License-Identifier: BSD-3-Clause
/// Summaries: the results of whole runs in the order in which people look for them, by name, and as points that can be
/// drawn. Pure and local.
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

/// The headline first: the summary with the name of its suite. Then the name with the fewest summaries, which say the
/// most, and so on; summaries of one name keep the order of the record.
[[nodiscard]] std::vector<measure::Summary const*> in_order(measure::RunRecord const& record);

/// Whether the program says that a number of a whole run is not valid.
[[nodiscard]] bool is_invalid(measure::Summary const& summary);

/// The quantity of a summary's unit; nothing for a unit that no point has.
[[nodiscard]] std::optional<measure::Quantity> quantity_of_unit(measure::Summary const& summary);

/// The part of a run that a summary is of: `ranks` and the texts in its `derived`.
[[nodiscard]] measure::Point place_of_summary(measure::Summary const& summary);

/// Names for summaries beside each other: "access_bandwidth, ranks=2, write", with the numbers and texts that vary in a
/// name. A headline is its name alone.
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

/// A summary of all starts of each series: the median of their values.
struct SummaryRow {
    std::string name{};  ///< see SummaryNames
    std::string unit{};
    std::vector<std::optional<double>> values{};  ///< one for each series
    std::vector<bool> invalid{};                  ///< for each series, too: its program calls it not valid
};
[[nodiscard]] std::vector<SummaryRow> summary_rows(std::span<Series const> series);

/// A number of a run's options in which series differ and that a command line has: "scheduled_time", given by "-T".
struct ChosenOption {
    std::string name{};
    std::string word{};  ///< of the command line, before the number
};
[[nodiscard]] std::vector<ChosenOption> chosen_options(std::span<Series const> series);

/// The headlines of the series over processes and over each chosen option, one curve for each system. A headline that
/// is the best of several summaries, one for each number of processes, is drawn by all of these. Runs of one file,
/// files of one label, and runs on the same hosts where each has one place on the axis, are one system. No
/// plots where there is one number only. Invalid numbers are marked.
struct HeadlinePlot {
    page::Plot plot{};
    std::string of{};  ///< the summaries that are drawn: "partition_bandwidth"
    std::vector<std::string> differing{};
};
[[nodiscard]] std::vector<HeadlinePlot> headline_plots(std::span<Series const> series);

}  // namespace measure::tool
