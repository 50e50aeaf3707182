// SPDX-License-Identifier: BSD-3-Clause
/// sweep: measures an operation at every point of some axes, with refinement, and hands the records to a sink.
#pragma once

#include "measure/callback.hpp"
#include "measure/comm.hpp"
#include "measure/record.hpp"
#include "measure/refine.hpp"
#include "measure/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A varied parameter: its name and its values in the order of measuring.
struct Axis {
    std::string name;                       ///< of the coordinate; "ranks" and "bytes" have a meaning of their own
    std::vector<Point::Coordinate> values;  ///< at least one
};

/// 1, 2, 4, .. within [low, high], both ends included. \throws UsageError unless 0 <= low <= high
[[nodiscard]] Axis powers_of_two(std::string name, std::int64_t low, std::int64_t high);
/// The values as given. \throws UsageError if there is none
[[nodiscard]] Axis values(std::string name, std::vector<std::int64_t> list);

/// One more, innermost axis, whose values follow from a measurement at each point of the others: as long as an
/// operation lasts, for instance. That measurement is not recorded itself, unless it has no value: then there are no
/// points to measure, and it stands for them.
struct MeasuredAxis {
    std::string name;     ///< of the coordinate
    StoppingRule stop{};  ///< of the measurement, instead of the plan's
    /// The values, from that measurement. Root only.
    Callback<std::vector<double>(Point const&, Measurement const&)> values{};
};

/// What a sweep does beside measuring every point once in the order written.
struct SweepOptions {
    std::string benchmark = "own";  ///< its name in the records
    /// Adds points to the last axis, which must be of integers, at each setting of the others.
    std::optional<Refinement> refine{};
    /// Its measurement is what `refine` looks at. A point of the axes lacks its coordinate while it is measured.
    std::optional<MeasuredAxis> innermost{};
    /// Every point is measured for each value of this axis. All are settled first, then measured stage by stage in
    /// random order, and each but the first has `Measurement::ratio` to the first, which is what refinement goes by.
    /// Together with `innermost` they are measured one after another, without a ratio.
    std::optional<Axis> variants{};
    /// How often a point is measured again at the end that got no number, a number from less than half of its samples
    /// (`few_valid`), or once, one whose samples change their level (`trend`); 0 to 10, within the deadline. Its record
    /// is held back until then; the better measurement counts, and says which attempt it was.
    int retries = 2;
    /// Measures the points in random order (the same on all ranks); not together with `refine`.
    bool shuffle = false;
    std::uint64_t seed = 1;  ///< of the random orders
    /// Completes a point before it is measured, for example with "bytes" from "count". Pure; called on all ranks.
    Callback<void(Point&)> complete{};
    /// Changes a record before it is written, for example into a rate. Root only.
    Callback<void(Record&)> finish{};
    /// Called on all ranks of the sweep before each point, outside all timing.
    Callback<void(Point const&)> before{};
    /// What an empty sample costs, where operations are not reached like a body: by default `empty_sample(team, plan)`.
    Callback<std::optional<seconds>(Comm const& team, Plan const& plan)> empty{};
    /// Makes the communicator that the maker of the operation gets instead of the team, for example one with a virtual
    /// topology; called once per point and epoch on the ranks of the team. Its ranks may be in another order: the
    /// library itself goes on over the team, whose rank 0 stays the root of every decision.
    Callback<Comm(Comm const& team, Point const& at)> communicator{};
};

/// How a sweep ended. The same on all ranks.
struct SweepResult {
    std::int64_t points = 0;                         ///< measured
    std::int64_t incomplete = 0;                     ///< skipped, crashed or without a valid sample
    RefinementEnd refinement = RefinementEnd::open;  ///< of the last curve that was refined
};

/// The points of some axes in the order of measuring: the last axis varies fastest. Local.
[[nodiscard]] std::vector<Point> points_of(std::vector<Axis> const& axes);

namespace detail {
/// Measures one point, all of its variants together, on its team; throws what `run` throws. [variants]
using Measure =
    Callback<std::vector<Measurement>(Comm const& team, Plan const& plan, std::vector<Point> const& variants)>;
/// Makes the loop of a point's operation on the communicator of an epoch, for the timer of a plan.
using MakeAt = Callback<Owned<Loop>(AnyTimer const& timer, Comm const& epoch, Point const& at)>;
using Write = Callback<void(Record const&, Measurement const&)>;
[[nodiscard]] SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes,
                                Measure const& measure, SweepOptions const& options, Write const& write);
[[nodiscard]] SweepResult sweep_made(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes,
                                     MakeAt const& make, SweepOptions const& options, Write const& write);
}  // namespace detail

/// Measures every point of the axes. Collective over `comm`.
///
/// An axis "ranks" makes the first so many ranks the team of its points; the others wait asleep. Clocks are
/// synchronised once per team and kept until they are too old. A point whose maker runs out of memory is recorded as
/// skipped with the flag `no_memory`, one whose maker says `Unmeasurable` with that reason; points that the plan's
/// deadline keeps from beginning are recorded as skipped with reason `time_budget`.
///
/// \param make  called as make(team, point) or make(point), once per point and epoch, outside all timing; returns an
///              operation or a body, which outlives neither the point nor the team
/// \param sink  sees the root's records; a sink with write(Record const&, Measurement const&) gets both
/// \throws UsageError (no axis value, refinement of an axis that is not of integers), and what `run` throws
template <class Make, class S>
SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes, Make&& make,
                  SweepOptions const& options, S&& sink) {
    return detail::sweep_made(
        comm, plan, axes,
        [&](AnyTimer const& timer, Comm const& epoch, Point const& at) {
            auto const make_here = [&](Comm const& comm_of_epoch) {
                if constexpr (std::is_invocable_v<Make&, Comm const&, Point const&>)
                    return make(comm_of_epoch, at);
                else
                    return make(at);
            };
            return detail::loop_of(timer, make_here, epoch);
        },
        options,
        [&](Record const& record, Measurement const& m) {
            if constexpr (requires { sink.write(record, m); })
                sink.write(record, m);
            else
                sink.write(record);
        });
}

}  // namespace measure
#pragma GCC visibility pop
