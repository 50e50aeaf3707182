// SPDX-License-Identifier: BSD-3-Clause
/// Non-blocking collectives: how long issue and wait take, and how much of the operation hides behind computing.
#pragma once

#include "bodies/nonblocking.hpp"
#include "operations.hpp"
#include "overlap.hpp"

#include <measure/record.hpp>
#include <measure/sweep.hpp>

#include <optional>

namespace mpiperf {

/// The coordinate of a point that computes: seconds.
inline constexpr char const* compute_coordinate = "compute";

/// What is known of a test while its points are measured: first the blocking time, then a point for each time of
/// computing. Neither copied nor moved, because the job that it changes refers to it.
class OverlapCurve {
public:
    explicit OverlapCurve(NonBlockingRules rules) : rules_{std::move(rules)} {}
    OverlapCurve(OverlapCurve const&) = delete;
    OverlapCurve& operator=(OverlapCurve const&) = delete;

    /// The job with computing as its innermost axis, and with the overlap in its records. In blocking mode unchanged.
    [[nodiscard]] Job follow(Job job);
    /// What is computed at a point; nothing while the blocking time is measured.
    [[nodiscard]] std::optional<bodies::Computing> computing(measure::Point const& at);
    [[nodiscard]] bodies::Tests& tests() noexcept { return tests_; }

private:
    void complete(measure::Record& record, measure::Measurement const& m) const;

    NonBlockingRules rules_;
    BlockingTime blocking_{};  ///< of the latest point; root only
    bodies::Tests tests_{};    ///< of this rank at the latest point
};

/// Measures the non-blocking relative of the job's collective at every point. Collective over the world.
measure::SweepResult measure_nonblocking(Job const& job);

/// The same with all neighbours, on communicators that have a topology.
measure::SweepResult measure_nonblocking_neighbours(Job const& job);

}  // namespace mpiperf
