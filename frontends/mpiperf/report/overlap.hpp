// SPDX-License-Identifier: BSD-3-Clause
/// Overlap: the share of a non-blocking operation that is hidden by computing (MPIPerf 0.0.3). Pure. Times in seconds.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/statistics.hpp>
#include <measure/units.hpp>

#include <optional>
#include <vector>

namespace mpiperf {

/// A number and its standard error.
struct Known {
    double value = 0;
    double error = 0;
};

/// The time of an operation that is waited for immediately.
struct BlockingTime {
    std::optional<measure::Estimate> joined{};  ///< over runs, each by its slowest rank; no value without a valid run
    std::vector<measure::RankSummary> ranks{};  ///< [ranks]
    [[nodiscard]] double longest() const;       ///< B: the largest of the ranks' means; 0 without a valid run
};

/// The blocking time from a measurement that keeps its ranks.
[[nodiscard]] BlockingTime blocking_time(measure::Measurement const& m);

/// The times of computing: 0, 2B/n, .. 2B, or 2B alone for n = 1. Only 0 if B is 0, because there is no time to hide.
/// \param steps  n, >= 1
[[nodiscard]] std::vector<double> compute_times(double blocking, int steps);

/// 1 - (total - compute) / blocking: 1 if the operation adds no time to the computing, 0 if it adds its full blocking
/// time. The errors of total and blocking time are assumed independent. \param blocking  > 0
[[nodiscard]] Known overlap(Known const& total, double compute, Known const& blocking);

/// Overlap over ranks.
struct Overlap {
    measure::RankSpread means{};             ///< from the mean time of each rank
    std::optional<double> standard_error{};  ///< at least the largest error of the three values; needs two valid runs
    measure::RankSpread medians{};           ///< from the median times, which ignore rare long interruptions
    std::vector<std::optional<double>>
        ranks{};  ///< [ranks], from the means; no value if the rank's own blocking time is too short
};

/// No value if no run is valid, or if the blocking time is shorter than ten clock readings or ten clock steps, because
/// the clock is then too coarse. A rank whose own blocking time is shorter than that is left out.
/// \param total     times of the operation with computing; must keep its ranks
/// \param floor     the cost of a clock reading or the clock step, whichever is larger
[[nodiscard]] std::optional<Overlap> overlap(measure::Measurement const& total, double compute,
                                             BlockingTime const& blocking, measure::seconds floor);

/// Adds to a record's `derived`: `blocking_time`; `overlap` {`min`, `mean`, `max`, `standard_error`, and `medians`
/// with its own three} or null; and in `by_rank` the `blocking_time` and `overlap` of each rank.
void add_overlap(measure::Record& record, BlockingTime const& blocking, std::optional<Overlap> const& overlap);

}  // namespace mpiperf
