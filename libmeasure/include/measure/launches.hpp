// SPDX-License-Identifier: BSD-3-Clause
/// Launches: joins the records of several starts of one program, point by point, into results whose errors hold between
/// starts. Pure functions of records, local.
#pragma once

#include "measure/machine_states.hpp"
#include "measure/record.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Whether the record is one of `merge_launches`, whose value is the median of its launches' medians.
[[nodiscard]] bool is_merged(Record const& record) noexcept;

/// How many launches the value of such a record is of; 0 for others.
[[nodiscard]] std::size_t launches_with_value(Record const& record) noexcept;

/// How far a record's value is from the mean that its estimate is of: some programs subtract the `correction` of a time
/// for their value, skampi the time of an empty measurement; then it is that, negative. 0 where the value is the mean,
/// and for merged records. Nothing without a value or an estimate, and where the estimate is of another number.
[[nodiscard]] std::optional<double> moved_by(Record const& record) noexcept;

/// Value, error and interval of one estimator: the record's estimate, moved as far as the value is (`moved_by`). Of a
/// merged record they are those of the median over launches: `value` is the median, `standard_error` half of its 68 %
/// interval (`derived.median_error`, of three launches and more), `interval` that of the median.
/// Nothing where the estimate is of another number, and for an estimate with holes, as other hands may have written it.
[[nodiscard]] std::optional<Estimate> estimate_of_value(Record const& record);

/// The same for tables and exports: without errors and intervals of 0 where the clock's step is not known, as in
/// records of earlier versions. Equal times do not show how far they are from the truth.
[[nodiscard]] std::optional<Estimate> estimate_to_show(Record const& record);

/// The same as the one number by which a launch is joined or compared: its median. A median below 100 steps of the
/// clock has the clock's grid; the mean of the middle half (`Estimate::middle`) takes its place. A region has its mean:
/// a program spends the sum of all entries, and rare long ones are a part of it.
[[nodiscard]] std::optional<Estimate> estimate_of_launch(Record const& record);

/// Whether starts of one program disagree: the largest of their values is more than three times the median, the median
/// more than three times the smallest, or, of five and more, one is both more than 10 % and more than five times the
/// spread of all (`log_scale`) away from the median. Values less than two steps of the clock away from the median
/// agree. \param xs  > 0
[[nodiscard]] bool starts_disagree(std::span<double const> xs, double clock_step = 0);

/// One record for each point of the launches. A point is benchmark, quantity and coordinates; the k-th of equal ones in
/// a launch goes with the k-th of the others. Points come in the order in which they first appear, and may stand in
/// another order in each launch.
///
/// Each launch counts once, however many samples it has:
///   value     median of the launches' medians as `estimate_of_launch` has them (of their values, where they have none)
///   estimate  mean: of the launches' values T; standard error s(T) / sqrt(m), Student's interval with m - 1 degrees of
///             freedom; median as `value`, with its `batched_median_interval` (m >= 6 at 95 %); min, max over all.
///             With a single launch neither errors nor intervals: one start says nothing about others
///   clock     clock_step: the largest of the launches; errors and intervals hold it (`with_clock_step`)
///   derived   median_error: half of the median's 68 % interval (m >= 3), not below `least_error`;
///             launches, launch_medians, launch_standard_errors: an entry per launch, null where it has no value;
///             launch_scatter: of the samples within a launch, a standard deviation by their middle half, the median;
///             rse = s(T) / (mean(T) sqrt(m)); standard_error_within = what the launches' own errors would give the
///             mean if starts did not differ; spread_ratio = standard error / standard_error_within
/// Counts, invalid samples and elapsed times are summed, flags united, the status is the worst of the launches with a
/// value. A point whose launches' medians disagree (`starts_disagree`) has the flag of that name. A rate is not
/// averaged: its times are, and the result is turned over; a rate that is not > 0 is no value.
///
/// A launch without a value leaves the others theirs: the point then has the flag `missing_launches` and a message.
/// Where none has one, so has the point: its status and message are those of the worst.
/// \param launches    in the order started; the points of each in any order
/// \param confidence  of the intervals, in (0, 1)
[[nodiscard]] std::vector<Record> merge_launches(std::span<std::vector<Record> const> launches,
                                                 double confidence = 0.95);

/// The same where the machine was in several states: the launches in the most frequent state give value, estimate,
/// errors, counts, flags and status. The lists in `derived` have null for the other launches, and there are
///   medians_in_all_states  as launch_medians, of all launches
///   other_states           for each other state that has a value: state (2 is the second most frequent), value,
///                          interval (of the median, or null), launches
/// \param states  of the launches
[[nodiscard]] std::vector<Record> merge_launches(std::span<std::vector<Record> const> launches,
                                                 MachineStates const& states, double confidence = 0.95);

/// Widens the intervals of merged points by what earlier runs of the same were like: a machine can keep one state for
/// as long as a run lasts, which nothing inside the run shows. The interval becomes the hull of its own and that of the
/// medians of all runs, the points' own among them: of order statistics, or of fewer runs than these need from the
/// lowest to the highest. An earlier point that was not widened itself is the last one that counts: it was the first,
/// or told apart from those before it. `derived.median_error` becomes half of such a 68 % interval where that is more;
/// `derived.own_interval` is what the interval was, `derived.runs` how many they are. Values stay; points without an
/// interval stay as they are and count for nothing, and so do those that no other run has.
/// \param points  of `merge_launches`  \param earlier  merged points of each earlier run, the latest first
void widen_by_runs(std::vector<Record>& points, std::span<std::vector<Record> const> earlier);

/// The interval of `estimate_of_value`, before it was widened by other runs.
[[nodiscard]] std::optional<Interval> own_interval(Record const& record);

}  // namespace measure
#pragma GCC visibility pop
