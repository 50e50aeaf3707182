// SPDX-License-Identifier: BSD-3-Clause
/// Columns of a test's rows: as in MPIPerf 0.0.3 for people, comma-separated values for programs. Pure.
#pragma once

#include "mpiperf/report/report.hpp"

#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/table.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpiperf {

/// The columns of a test. \param per_process  for the report with one row for each process
[[nodiscard]] std::vector<measure::Column> columns(Style const& style, bool per_process);

/// The record that a row of the per-process report shows: the point as one process saw it, over its valid runs.
[[nodiscard]] measure::Record of_process(measure::Record const& point, measure::RankSummary const& rank,
                                         Style const& style);

/// A time formatted as in the columns; "-" for no value.
[[nodiscard]] std::string time_text(std::optional<double> seconds, Style const& style);

/// The legend of the columns that the tests of a run use.
[[nodiscard]] std::string legend_text(std::span<Test const* const> tests, Options const& options);

}  // namespace mpiperf
