// SPDX-License-Identifier: BSD-3-Clause
/// Result: combines the reports of the processes into table rows and record points. Pure.
#pragma once

#include "pmb/kernel.hpp"
#include "pmb/report/table.hpp"
#include "pmb/team.hpp"

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/stopping.hpp>
#include <measure/timer_info.hpp>

#include <optional>
#include <span>
#include <vector>

namespace pmb {

/// How a planned row ended. Equal on all processes of a group, except value and error, which only its first process
/// knows. Trivially copyable.
struct Ending {
    measure::StopVerdict verdict = measure::StopVerdict::converged;
    bool budget = false;  ///< a time limit was reached
    bool clock = false;   ///< the clock step exceeds the requested error
    std::int64_t attempts = 1;
    std::int64_t valid = 1;
    std::int64_t kept = 1;
    measure::InvalidCounts invalid{};
    unsigned clocks = 0;        ///< bit i: measure::clock_flags[i]
    double value = 0;           ///< the estimate, in seconds per repetition
    double relative_error = 0;  ///< relative error of the value; NaN without an error
};

[[nodiscard]] Ending ending_of(measure::Measurement const& m);

/// One process's report on a row. Trivially copyable, because it is sent to the root.
struct Report {
    Reading reading{};       ///< with a plan, `time` is the mean over the samples that the estimate keeps
    double page_faults = 0;  ///< of this process; with a plan, the first process reports the page faults of its group
    std::int64_t repetitions = 0;
    Ending ending{};
};

/// The record of one row, or of one row per group, from the reports of the processes. A record has no value if a call
/// failed or no sample is valid.
/// \param reports   [world], in rank order
/// \param by_plan   the root's measurement if rows are measured by a plan; it describes group 0
/// \param timer     cost and step of the clock
[[nodiscard]] std::vector<measure::Record> join(Head const& head, Grouping const& grouping,
                                                std::optional<measure::Bytes> length, std::span<Report const> reports,
                                                Setup const& setup, std::optional<measure::Measurement> const& by_plan,
                                                measure::TimerInfo const& timer = {});

/// Adds to a row its values in all rounds, and their minimum, median and spread: (maximum - minimum) / median.
/// \param rounds  records of the same row, at least one
void add_rounds(measure::Record& row, std::span<measure::Record const> rounds);

/// The head of the first table.
[[nodiscard]] Head head_of(Benchmark const& benchmark, Setup const& setup, Grouping const& grouping);

/// The coordinates of a row.
[[nodiscard]] measure::Point at(Head const& head, std::optional<measure::Bytes> length, std::optional<int> multi,
                                std::optional<int> group = {});

}  // namespace pmb
