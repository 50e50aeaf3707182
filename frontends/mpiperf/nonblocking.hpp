// SPDX-License-Identifier: BSD-3-Clause
/// Non-blocking collectives: how long issue and wait take, and how much of the operation hides behind computing.
#pragma once

#include "bodies/nonblocking.hpp"
#include "operations.hpp"
#include "overlap.hpp"

#include <measure/comm.hpp>
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

/// Measures the non-blocking collective C at every point of the job. Collective over the world.
template <class C>
measure::SweepResult measure_nonblocking(Job const& given) {
    OverlapCurve curve{given.nonblocking};
    auto const job = curve.follow(given);
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const& at) {
        using Body = bodies::NonBlocking<C>;
        constexpr auto shape = C::Blocking::shape;
        auto const count = at.integer("count");
        auto const sizes = bodies::sizes(shape, count, team.rank(), team.size(), job.root);
        auto const policy = place(job, team, sizes);
        auto const computing = curve.computing(at);
        return measure::op(Body{bodies::arguments(shape, team, count), bodies::Buffers{policy, sizes}, job.root,
                                computing, curve.tests()})
            .phases(Body::phases(computing.has_value()));
    });
}

}  // namespace mpiperf
