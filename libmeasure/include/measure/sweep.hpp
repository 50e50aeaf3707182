// SPDX-License-Identifier: BSD-3-Clause
/// sweep: measures an operation at every point of some axes, with refinement, and hands the records to a sink.
#pragma once

#include "measure/benchmark.hpp"
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

/// 1, 2, 4, .. within [low, high], both ends included. \throws UsageError unless 0 <= low <= high
[[nodiscard]] Axis powers_of_two(std::string name, std::int64_t low, std::int64_t high);
/// The values as given. \throws UsageError if there is none
[[nodiscard]] Axis values(std::string name, std::vector<std::int64_t> list);

/// What a sweep does beside measuring every point once in the order written.
struct SweepOptions {
    /// Adds points to the last axis, which must be of integers, at each setting of the others.
    std::optional<Refinement> refine{};
    /// How often a point is measured again at the end that got no number, a number from less than half of its samples
    /// (`few_valid`), or once, one whose samples change their level (`trend`); 0 to 10, within the deadline. Its record
    /// is held back until then; the better measurement counts, and says which attempt it was.
    int retries = 2;
    /// Measures the points in random order (the same on all ranks); not together with `refine`.
    bool shuffle = false;
    std::uint64_t seed = 1;  ///< of the random orders
    /// Called on all ranks of the sweep before each point, outside all timing.
    Callback<void(Benchmark const&, Point const&)> before{};
};

/// How a sweep ended. The same on all ranks.
struct SweepResult {
    std::int64_t points = 0;                         ///< measured
    std::int64_t incomplete = 0;                     ///< skipped, crashed or without a valid sample
    RefinementEnd refinement = RefinementEnd::open;  ///< of the last curve that was refined
};

/// The points of some axes in the order of measuring: the last axis varies fastest. Local.
[[nodiscard]] std::vector<Point> points_of(std::vector<Axis> const& axes);

/// Some axes with a benchmark's own in their places. Local. \throws UsageError for an own axis that is not there
[[nodiscard]] std::vector<Axis> axes_of(Benchmark const& benchmark, std::vector<Axis> axes);

namespace detail {

using Write = Callback<void(Record const&, Measurement const&)>;

[[nodiscard]] SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes,
                                std::vector<Benchmark const*> const& compared, SweepOptions const& options,
                                Write const& write);

template <class S>
Write writer(S& sink) {
    return [&sink](Record const& record, Measurement const& m) {
        if constexpr (requires { sink.write(record, m); })
            sink.write(record, m);
        else if constexpr (requires { sink.write(record); })
            sink.write(record);
        else
            sink(record, m);
    };
}

template <class M>
concept Makes = std::is_invocable_v<M&, Comm const&, Point const&> || std::is_invocable_v<M&, Point const&>;

}  // namespace detail

/// Measures every point of the axes. Collective over `comm`.
///
/// An axis "ranks" makes the first so many ranks the team of its points; the others wait without spinning. Clocks
/// are synchronised once per team and kept until they are too old. A point whose maker runs out of memory is recorded
/// as skipped with the flag `no_memory`, one whose maker says `SkipPoint` with that reason; points that the
/// plan's deadline keeps from beginning are recorded as skipped with reason `time_budget`.
///
/// \param sink  sees the root's records: it has write(Record const&) or write(Record const&, Measurement const&), or is
///              called with both
/// \throws UsageError (no axis value, refinement of an axis that is not of integers), and what `run` throws
template <class S>
SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes, Benchmark const& benchmark,
                  SweepOptions const& options, S&& sink) {
    return detail::sweep(comm, plan, axes, {&benchmark}, options, detail::writer(sink));
}

/// The same for benchmarks that are compared: at each point all are settled first, then measured stage by stage in
/// random order, and each but the first has `Measurement::ratio` to the first, which is what refinement goes by. They
/// have no variants, no innermost axis, no loop and no axes of their own.
template <class S>
SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes,
                  std::vector<Benchmark const*> const& compared, SweepOptions const& options, S&& sink) {
    return detail::sweep(comm, plan, axes, compared, options, detail::writer(sink));
}

/// The same for an operation without a name: "own" in the records. \param make  see `Maker`
template <detail::Makes Make, class S>
SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes, Make&& make,
                  SweepOptions const& options, S&& sink) {
    auto const by_reference = [&make](Comm const& team, Point const& at) {
        if constexpr (std::is_invocable_v<Make&, Comm const&, Point const&>)
            return make(team, at);
        else
            return make(at);
    };
    Benchmark const own{.name = "own", .make = by_reference};
    return detail::sweep(comm, plan, axes, {&own}, options, detail::writer(sink));
}

/// Refuses to compile for a callable that takes no point, and says so.
template <class Make, class S>
requires(!detail::Makes<Make> && (std::is_invocable_v<Make&, Comm const&> || std::is_invocable_v<Make&>)) SweepResult
    sweep(Comm const&, Plan const&, std::vector<Axis> const&, Make&&, SweepOptions const&, S&&) {
    static_assert(std::is_void_v<Make>, "a maker takes the point: make(measure::Comm const&, measure::Point const&) or "
                                        "make(measure::Point const&)");
    return {};
}

}  // namespace measure
#pragma GCC visibility pop
