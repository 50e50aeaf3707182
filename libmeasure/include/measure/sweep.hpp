// SPDX-License-Identifier: BSD-3-Clause
/// Sweep: measures an operation at all points of some axes, optionally with refinement, and passes the records to a
/// sink.
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

/// Axis with the values 1, 2, 4, .. within [low, high], including both ends. \throws UsageError unless 0 <= low <= high
[[nodiscard]] Axis powers_of_two(std::string name, std::int64_t low, std::int64_t high);
/// Axis with the given values. \throws UsageError for an empty list
[[nodiscard]] Axis values(std::string name, std::vector<std::int64_t> list);

/// Options of a sweep. The defaults measure every point in the order of the axes, without refinement.
struct SweepOptions {
    /// Adds points to the last axis, for each setting of the other axes. The last axis must have integer values.
    std::optional<Refinement> refine{};
    /// Number of further attempts, 0 to 10, for points with poor results. A point without a value, or with a value from
    /// less than half of its samples (`few_valid`), is measured again after all other points, within the deadline. A
    /// point whose samples change their level (`trend`) is measured again once. The record of such a point is written
    /// after its last attempt. It has the best measurement and the number of its attempt.
    int retries = 2;
    /// Measures the points in random order (the same on all ranks). Cannot be combined with `refine`.
    bool shuffle = false;
    std::uint64_t seed = 1;  ///< seed of the random orders
    /// Called on all ranks of the sweep before each point, outside all timing.
    Callback<void(Benchmark const&, Point const&)> before{};
};

/// Result of a sweep. The same on all ranks.
struct SweepResult {
    std::int64_t points = 0;      ///< number of measured points
    std::int64_t incomplete = 0;  ///< number of points that were skipped, crashed or had no valid sample
    RefinementEnd refinement = RefinementEnd::open;  ///< why the refinement of the last curve ended
};

/// All points of some axes in the order of measurement: the last axis varies fastest. Local.
[[nodiscard]] std::vector<Point> points_of(std::vector<Axis> const& axes);

/// Replaces axes with the benchmark's own axes of the same names. Local.
/// \throws UsageError if there is no axis of that name
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

/// Measures all points of the axes. Collective over `comm`.
///
/// With an axis "ranks", the first n ranks are the team of a point with ranks = n. The other ranks wait without
/// spinning. Clocks are synchronised once per team and used until they are too old. A point is recorded as skipped in
/// three cases: its maker runs out of memory (flag `no_memory`), its maker throws `SkipPoint` (with the reason of the
/// exception), or the plan's deadline has passed (reason `time_budget`).
///
/// \param sink  receives the records on the root: an object with write(Record const&) or write(Record const&,
///              Measurement const&), or a callable with these two arguments
/// \throws UsageError for an axis without values, and for refinement of an axis without integers; exceptions of `run`
template <class S>
SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes, Benchmark const& benchmark,
                  SweepOptions const& options, S&& sink) {
    return detail::sweep(comm, plan, axes, {&benchmark}, options, detail::writer(sink));
}

/// Measures several benchmarks in turn to compare them. At each point, all benchmarks are settled first, then measured
/// stage by stage in random order. Each benchmark except the first has its ratio to the first in `Measurement::ratio`;
/// refinement uses this ratio. The benchmarks must not have variants, an innermost axis, a loop or axes.
template <class S>
SweepResult sweep(Comm const& comm, Plan const& plan, std::vector<Axis> const& axes,
                  std::vector<Benchmark const*> const& compared, SweepOptions const& options, S&& sink) {
    return detail::sweep(comm, plan, axes, compared, options, detail::writer(sink));
}

/// Measures a single operation, which is called "own" in the records. \param make  see `Maker`
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

/// Rejects a callable without a point argument at compile time, with a clear message.
template <class Make, class S>
requires(!detail::Makes<Make> && (std::is_invocable_v<Make&, Comm const&> || std::is_invocable_v<Make&>)) SweepResult
    sweep(Comm const&, Plan const&, std::vector<Axis> const&, Make&&, SweepOptions const&, S&&) {
    static_assert(std::is_void_v<Make>, "a maker takes the point: make(measure::Comm const&, measure::Point const&) or "
                                        "make(measure::Point const&)");
    return {};
}

}  // namespace measure
#pragma GCC visibility pop
