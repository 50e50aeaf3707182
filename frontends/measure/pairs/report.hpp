// SPDX-License-Identifier: BSD-3-Clause
/// Report: a result as text, CSV and records. Local; rows are fetched one after another.
#pragma once

#include "page/document.hpp"
#include "pairs/shown.hpp"

#include <measure/record.hpp>
#include <measure/report.hpp>

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::pairs {

/// A finding as one line, without "warning": "link a - b: latency 23 % slower than its class (17 .. 29), p 0.0004".
[[nodiscard]] std::string sentence(Result const& result, Finding const& finding);
[[nodiscard]] std::string sentence(Result const& result, WrongData const& wrong);
[[nodiscard]] std::string no_answer_text(Result const& result, Pair const& pair);
/// The measurements that confirmed a finding: "24 trials with 48 controls".
[[nodiscard]] std::string evidence_text(Finding const& finding);

/// Notes about bindings, which are not findings.
[[nodiscard]] std::vector<std::string> notes_of(Result const& result);

/// Summary of the measurement and the test, or why there was no test: "120 of 120 pairs of 16 nodes, each 7 times. Not
/// tested: .."
[[nodiscard]] std::string outcome_text(Result const& result);

/// Whether a finding concerns a pair: its link or, with `with_nodes`, one of its nodes.
/// \param quantity  index in `judged`
[[nodiscard]] bool is_marked(Result const& result, std::size_t quantity, int i, int j, bool with_nodes = true);

/// A pair's time as text: "1.5 us", "1000 MB/s".
[[nodiscard]] std::string time_text(Metric quantity, double time);

/// The baseline of the shown pairs: "the median of its class".
[[nodiscard]] std::string_view like_text(Judged const& judged);

/// Median, quickest and slowest pair of each class.
[[nodiscard]] page::Table levels_table(Judged const& judged);

/// The smallest slowdowns of one quantity that would have been found with probability --power; empty without a test.
[[nodiscard]] std::string reach_text(Result const& result, Judged const& judged);

/// Findings, times of the classes, and a map of the pairs, in 80 columns.
[[nodiscard]] std::string text_of(Result const& result, RowOf const& rows);

/// One line for the latency of each pair, and one for the bandwidth in each direction.
void write_csv(std::ostream& out, Result const& result, RowOf const& rows);

/// Calls `f` with a point for each pair, mode and quantity, in the order of the pairs. A comparison has no points, nor
/// has a run with more than `most_nodes_of_points` nodes without --all.
void each_record(Result const& result, RowOf const& rows, std::function<void(measure::Record const&)> const& f);
/// Whether the record has points of pairs: always with --all, otherwise up to `most_nodes_of_points` nodes.
[[nodiscard]] bool has_points(Result const& result);
[[nodiscard]] measure::Summary summary_of(Result const& result);

}  // namespace measure::tool::pairs
