// SPDX-License-Identifier: BSD-3-Clause
/// Result: from what each process found to the rows of a table and the points of the record. Pure.
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

/// How a row by a plan ended; the same in all processes of a group, but for value and error, which only its first one
/// knows. Trivially copyable.
struct Ending {
    measure::StopVerdict verdict = measure::StopVerdict::converged;
    bool budget = false;  ///< a time limit struck
    bool clock = false;   ///< the clock's step is more than the error wanted
    std::int64_t attempts = 1;
    std::int64_t valid = 1;
    std::int64_t kept = 1;
    measure::InvalidCounts invalid{};
    unsigned clocks = 0;        ///< bit i: measure::clock_flags[i]
    double value = 0;           ///< s per repetition: the estimate
    double relative_error = 0;  ///< of it; not a number where there is none
};

[[nodiscard]] Ending ending_of(measure::Measurement const& m);

/// What a process tells of a row. Trivially copyable: it travels to the root.
struct Report {
    Reading reading{};       ///< by a plan: `time` is the mean over the samples that the estimate keeps
    double page_faults = 0;  ///< of all that it speaks for: itself; by a plan, the first for its group
    std::int64_t repetitions = 0;
    Ending ending{};
};

/// The record of one row, or of one per group: the processes' reports joined. Without a value where a call failed or no
/// sample is valid.
/// \param reports   [world], in rank order
/// \param by_plan   the root's measurement, where rows are measured by a plan: it describes group 0
/// \param timer     what the clock is worth
[[nodiscard]] std::vector<measure::Record> join(Head const& head, Grouping const& grouping,
                                                std::optional<measure::Bytes> length, std::span<Report const> reports,
                                                Setup const& setup, std::optional<measure::Measurement> const& by_plan,
                                                measure::TimerInfo const& timer = {});

/// Adds to a row what it was in all rounds: the values, their smallest, median, and spread (largest less smallest, over
/// the median). \param rounds  of the same row, at least one
void add_rounds(measure::Record& row, std::span<measure::Record const> rounds);

/// What stands above the first table.
[[nodiscard]] Head head_of(Benchmark const& benchmark, Setup const& setup, Grouping const& grouping);

/// The coordinates of a row.
[[nodiscard]] measure::Point at(Head const& head, std::optional<measure::Bytes> length, std::optional<int> multi,
                                std::optional<int> group = {});

}  // namespace pmb
