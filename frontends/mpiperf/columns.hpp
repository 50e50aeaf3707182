// SPDX-License-Identifier: BSD-3-Clause
/// Columns that only some tests have: the phases and the overlap of non-blocking collectives, and what a message has
/// beside the time of rank 0.
#pragma once

#include "line.hpp"
#include "report.hpp"

#include <measure/record.hpp>
#include <measure/sample.hpp>

#include <span>
#include <string>

namespace mpiperf {

/// Whether rows have columns of phases instead of those from the mean on.
[[nodiscard]] bool has_phases(Style const& style);

/// All that follows the coordinates of a non-blocking test.
void add_phase_titles(Line& line, Style const& style, bool per_process);
void add_phases(Line& line, measure::Record const& record, Style const& style);
/// Of one process, over its valid runs.
void add_phases(Line& line, measure::Record const& record, measure::RankSummary const& rank, Style const& style);

/// What stands at the end of a message's row.
void add_message_titles(Line& line, Style const& style);
void add_message(Line& line, measure::Record const& record);

/// The columns that the tests of a run have beside the usual ones.
[[nodiscard]] std::string further_legend(std::span<Test const* const> tests, Options const& options);

}  // namespace mpiperf
