// SPDX-License-Identifier: BSD-3-Clause
/// Overlap: the share of a non-blocking operation that hides behind computing (MPIPerf 0.0.3). Pure. Times in seconds.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <optional>
#include <vector>

namespace mpiperf {

/// A number with its standard error.
struct Known {
    double value = 0;
    double error = 0;
};

/// What an operation takes when it is waited for at once.
struct BlockingTime {
    std::optional<measure::Estimate> joined{};  ///< of the runs, each by its slowest rank; nothing without a valid one
    std::vector<measure::RankSummary> ranks{};  ///< [ranks]
    [[nodiscard]] double longest() const;       ///< B: the largest of the ranks' means; 0 without a valid run
};

/// Of a measurement that knows its ranks.
[[nodiscard]] BlockingTime blocking_time(measure::Measurement const& m);

/// How long to compute: 0, 2B/n, .. 2B, or 2B alone for n = 1. Where B is 0, there is nothing to hide: 0 alone.
/// \param steps  n, >= 1
[[nodiscard]] std::vector<double> compute_times(double blocking, int steps);

/// 1 - (total - compute) / blocking: 1 where the operation costs nothing beside the computing, 0 where it costs as much
/// as alone. The errors of total and blocking time are taken for independent. \param blocking  > 0
[[nodiscard]] Known overlap(Known const& total, double compute, Known const& blocking);

/// Overlap over ranks.
struct Overlap {
    measure::RankSpread means{};             ///< by the mean time of each rank
    std::optional<double> standard_error{};  ///< no smaller than that of any of the three; from two valid runs on
    measure::RankSpread medians{};           ///< by the median time: what single long interruptions leave alone
    std::vector<std::optional<double>>
        ranks{};  ///< [ranks], by means; nothing where its own blocking time is too short
};

/// Nothing where the blocking time is below ten readings of the clock, or ten of its steps, which cannot tell then, or
/// no run was valid. A rank whose own blocking time is below that is left out.
/// \param total     of the operation with computing, which knows its ranks
/// \param floor     the cost of a reading or the step of the clock, whichever is more
[[nodiscard]] std::optional<Overlap> overlap(measure::Measurement const& total, double compute,
                                             BlockingTime const& blocking, measure::seconds floor);

/// Adds to a record's `derived`: `blocking_time`; `overlap` {`min`, `mean`, `max`, `standard_error`, and `medians` with
/// its own three} or null; and in `by_rank` the `blocking_time` and `overlap` of each rank.
void add_overlap(measure::Record& record, BlockingTime const& blocking, std::optional<Overlap> const& overlap);

}  // namespace mpiperf
