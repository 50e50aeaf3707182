// SPDX-License-Identifier: BSD-3-Clause
/// Report: what is said of a result, as text, CSV and records. Local; rows come one after another.
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

/// A finding in one line without level: "link a - b: latency 23 % slower than its like (17 .. 29), p 0.0004".
[[nodiscard]] std::string sentence(Result const& result, Finding const& finding);
[[nodiscard]] std::string sentence(Result const& result, WrongData const& wrong);
[[nodiscard]] std::string no_answer_text(Result const& result, Pair const& pair);
/// What it was confirmed by: "24 times beside 48 controls".
[[nodiscard]] std::string evidence_text(Finding const& finding);

/// What is to be known and is no finding: bindings.
[[nodiscard]] std::vector<std::string> notes_of(Result const& result);

/// What was measured, what was tested, and why not: "120 of 120 pairs of 16 nodes, each 7 times. Nothing is tested: .."
[[nodiscard]] std::string outcome_text(Result const& result);

/// Whether a finding is about a pair: its link, or one of its nodes unless only links count.
/// \param quantity  which of those judged
[[nodiscard]] bool is_marked(Result const& result, std::size_t quantity, int i, int j, bool with_nodes = true);

/// What is shown of a pair's time: "1.5 us", "1000 MB/s".
[[nodiscard]] std::string time_text(Metric quantity, double time);

/// What pairs are shown against: "the median of its class".
[[nodiscard]] std::string_view like_text(Judged const& judged);

/// Median, quickest and slowest pair of each class.
[[nodiscard]] page::Table levels_table(Judged const& judged);

/// What would have been found with 99 %, of one quantity; empty without a test.
[[nodiscard]] std::string reach_text(Result const& result, Judged const& judged);

/// Findings, classes, and a map of what is left in each pair: 80 columns.
[[nodiscard]] std::string text_of(Result const& result, RowOf const& rows);

/// A line for each pair: of latency for one without order, of bandwidth for either direction.
void write_csv(std::ostream& out, Result const& result, RowOf const& rows);

/// A point for each pair, mode and quantity, in the order of the pairs; none of a comparison, and of more than
/// `most_nodes_of_points` none without --all.
void each_record(Result const& result, RowOf const& rows, std::function<void(measure::Record const&)> const& f);
/// Whether there are points of pairs: not of more than `most_nodes_of_points` without --all.
[[nodiscard]] bool has_points(Result const& result);
[[nodiscard]] measure::Summary summary_of(Result const& result);

}  // namespace measure::tool::pairs
