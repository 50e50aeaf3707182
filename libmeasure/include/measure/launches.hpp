// SPDX-License-Identifier: BSD-3-Clause
/// Launches: joins the records of several launches of one program, point by point. The errors of the results include
/// the scatter between launches. Pure functions of records, local.
#pragma once

#include "measure/machine_states.hpp"
#include "measure/record.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Whether the record is a result of `merge_launches`. The value of such a record is the median of its launches'
/// medians.
[[nodiscard]] bool is_merged(Record const& record) noexcept;

/// Number of launches in the value of a merged record; 0 for other records.
[[nodiscard]] std::size_t launches_with_value(Record const& record) noexcept;

/// Difference between a record's value and the mean in its estimate, in the record's unit. It is negative if the
/// program subtracted the record's `correction` from the mean: skampi subtracts the time of an empty measurement. 0 if
/// the value is the mean, and for merged records. Empty without a value or an estimate, and if the value is neither the
/// mean nor the mean minus the correction.
[[nodiscard]] std::optional<double> moved_by(Record const& record) noexcept;

/// The record's estimate shifted by `moved_by`, so that value, error and interval belong to the record's value. For a
/// merged record, they describe the median over launches: `value` is the median, `standard_error` is half of its 68 %
/// interval (`derived.median_error`, from three launches on), and `interval` is the interval of the median. Empty if
/// `moved_by` is empty, and for incomplete estimates, which other programs may write.
[[nodiscard]] std::optional<Estimate> estimate_of_value(Record const& record);

/// Like `estimate_of_value`, for tables and exports. If the clock's step is unknown, as in records of earlier versions,
/// it omits errors and intervals of 0: all times are then equal, but may be wrong by one step.
[[nodiscard]] std::optional<Estimate> estimate_to_show(Record const& record);

/// Like `estimate_of_value`, but `median` is the number that represents a launch when launches are joined or compared.
/// This is the median, except in two cases. A median below 100 clock steps is quantised by the clock, so the mean of
/// the middle half (`Estimate::middle`) replaces it. For a region of an application, the mean replaces it, because the
/// program's time is the sum over all entries into the region, including rare long entries.
[[nodiscard]] std::optional<Estimate> estimate_of_launch(Record const& record);

/// Whether the launches of one program disagree. They do if the largest value is more than three times the median, or
/// the median more than three times the smallest value. With five or more values, they also disagree if a value differs
/// from the median by a factor above 1.1 whose logarithm is more than five times the spread of all values
/// (`log_scale`). They always agree if all values are less than two clock steps away from the median.
/// \param xs  greater than 0  \param clock_step  in the unit of xs; 0: unknown
[[nodiscard]] bool launches_disagree(std::span<double const> xs, double clock_step = 0);

/// Joins the records of several launches. Returns one record for each point. A point is identified by benchmark,
/// quantity and coordinates. If several points of a launch have the same identity, the k-th of them is joined with the
/// k-th of each other launch. The result has the points in the order in which they first appear, which may differ
/// between launches.
///
/// Each launch counts once, whatever its number of samples. Let m be the number of launches with a value, and T their
/// values:
///   value     median of the launches' medians from `estimate_of_launch` (or of their values, if they have no median)
///   estimate  mean: mean of T; standard error: s(T) / sqrt(m); interval: Student's, with m - 1 degrees of freedom;
///             median: like `value`, with its `batched_median_interval` (m >= 6 at 95 %); min, max: over all launches.
///             A single launch has neither errors nor intervals, because it does not show the scatter between launches
///   clock     clock_step: the largest of the launches; errors and intervals include it (`with_clock_step`)
///   derived   median_error: half of the median's 68 % interval (m >= 3), at least `least_error`;
///             launches, launch_medians, launch_standard_errors: one entry per launch, null without a value;
///             launch_scatter: standard deviation of the samples within a launch, from their quartiles; median over
///             launches; rse = s(T) / (mean(T) sqrt(m)); standard_error_within: standard error of the mean that follows
///             from the launches' own errors alone; spread_ratio = standard error / standard_error_within
/// Counts, invalid samples and elapsed times are summed, flags are united, and the status is the worst of the launches
/// with a value. If the launches' medians disagree (`launches_disagree`), the point has the flag of that name. For
/// rates, the times are averaged and the result is inverted. A rate of 0 or less counts as a missing value.
///
/// If only some launches have a value, the point has the flag `missing_launches` and a message. If no launch has a
/// value, the point has no value, and it has the status and message of the worst launch.
/// \param launches    points of each launch, in any order; launches in the order of their start
/// \param confidence  confidence level of the intervals, in (0, 1)
[[nodiscard]] std::vector<Record> merge_launches(std::span<std::vector<Record> const> launches,
                                                 double confidence = 0.95);

/// Joins launches if the machine was in several states. Only the launches in the most frequent state determine value,
/// estimate, errors, counts, flags and status. The lists in `derived` have null for other launches. Further members:
///   medians_in_all_states  like launch_medians, for all launches
///   other_states           for each other state with a value: state (2 is the second most frequent), value,
///                          interval (of the median, or null), launches
/// \param states  states of these launches
[[nodiscard]] std::vector<Record> merge_launches(std::span<std::vector<Record> const> launches,
                                                 MachineStates const& states, double confidence = 0.95);

/// Widens the intervals of merged points by the scatter between runs. If the machine stays in one state during a run,
/// the launches of this run do not show the scatter.
///
/// The new interval contains the old one and the interval of the medians of several runs, including this one. The
/// interval of the medians is from order statistics, or from the smallest to the largest median if there are too few
/// runs. Earlier runs are used from the latest back to the first one whose own point was not widened. This run began
/// the series: no run came before it, or it differed from the runs before it.
///
/// `derived.median_error` becomes half of the 68 % interval of the runs' medians, if this is larger than before.
/// `derived.own_interval` becomes the old interval, and `derived.runs` the number of runs. Values do not change. Points
/// without an interval, and points that no other run has, do not change.
/// \param points  results of `merge_launches`  \param earlier  merged points of each earlier run, the latest first
void widen_by_runs(std::vector<Record>& points, std::span<std::vector<Record> const> earlier);

/// The interval of `estimate_of_value` before `widen_by_runs`.
[[nodiscard]] std::optional<Interval> own_interval(Record const& record);

}  // namespace measure
#pragma GCC visibility pop
