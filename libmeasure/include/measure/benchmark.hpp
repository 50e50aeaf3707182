// SPDX-License-Identifier: BSD-3-Clause
/// Benchmark: one benchmark of a program or a sweep. Has its name, creates its operation, and changes the program's
/// plan and axes if necessary.
#pragma once

#include "measure/callback.hpp"
#include "measure/comm.hpp"
#include "measure/measurement.hpp"
#include "measure/plan.hpp"
#include "measure/record.hpp"
#include "measure/run.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A varied coordinate: its name and its values in the order of measurement.
struct Axis {
    std::string name;                       ///< name of the coordinate; "ranks" and "bytes" have a special meaning
    std::vector<Point::Coordinate> values;  ///< at least one value
};

/// An additional innermost axis. At each point of the other axes, its values are computed from a measurement, for
/// example as multiples of the duration of an operation. This measurement is recorded only if it has no value. Its
/// record then replaces the records of the missing points.
struct MeasuredAxis {
    std::string name;     ///< name of the coordinate
    StoppingRule stop{};  ///< stopping rule of this measurement, instead of the plan's
    /// Computes the values from this measurement. Called on the root only.
    Callback<std::vector<double>(Point const&, Measurement const&)> values{};
    /// Descriptions of the values, for lists of the points before the measurement: "0.5*blocking_time".
    std::vector<std::string> texts{};
};

/// Changes a record before it is written, for example into a rate: a callable finish(record) or
/// finish(record, measurement). Called once per point, on the root only.
class Finish {
public:
    Finish() = default;  ///< leaves records unchanged
    /// Stores a copy of the callable.
    template <class F>
    requires(!std::is_same_v<F, Finish> &&
             (std::is_invocable_v<F&, Record&> || std::is_invocable_v<F&, Record&, Measurement const&>))
        Finish(F finish)  // NOLINT(google-explicit-constructor): accepts any suitable callable
        : finish_{[finish = std::move(finish)](Record& record, Measurement const& m) mutable {
              if constexpr (std::is_invocable_v<F&, Record&, Measurement const&>)
                  finish(record, m);
              else
                  finish(record);
          }} {}

    /// Changes the record. \param m  the measurement of the point; empty if it was skipped
    void operator()(Record& record, Measurement const& m) const { finish_(record, m); }
    [[nodiscard]] explicit operator bool() const noexcept {
        return static_cast<bool>(finish_);
    }  ///< whether there is a callable

private:
    Callback<void(Record&, Measurement const&)> finish_;
};

/// Creates the operation of a point: a callable make(team, point) or make(point) that returns an operation or a body.
/// It is called once per point and epoch, outside all timing, on all ranks of the team. It throws `SkipPoint` if the
/// point cannot be measured.
class Maker {
public:
    Maker() = default;  ///< empty; for benchmarks that set `Benchmark::loop`
    /// Stores a copy of the callable.
    template <class Make>
    requires(std::is_invocable_v<Make&, Comm const&, Point const&> || std::is_invocable_v<Make&, Point const&>)
        Maker(Make make)  // NOLINT(google-explicit-constructor): accepts any suitable callable
        : loop_{[make = std::move(make)](Comm const& team, Plan const& plan, Point const& at) mutable {
              auto const make_here = [&](Comm const& epoch) {
                  if constexpr (std::is_invocable_v<Make&, Comm const&, Point const&>)
                      return make(epoch, at);
                  else
                      return make(at);
              };
              return detail::loop_of(plan.timer, make_here, team);
          }} {}

    /// Rejects a callable without a point argument at compile time, with a clear message.
    template <class Make>
    requires(!std::is_invocable_v<Make&, Comm const&, Point const&> && !std::is_invocable_v<Make&, Point const&> &&
             (std::is_invocable_v<Make&, Comm const&> || std::is_invocable_v<Make&>))
        Maker(Make const&) {  // NOLINT(google-explicit-constructor): as above
        static_assert(std::is_void_v<Make>,
                      "a maker takes the point: make(measure::Comm const&, measure::Point const&) "
                      "or make(measure::Point const&)");
    }

    /// Creates the operation of a point for the communicator of an epoch, to be measured with the plan's timer.
    [[nodiscard]] detail::Owned<detail::Loop> operator()(Comm const& epoch, Plan const& plan, Point const& at) const {
        return loop_(epoch, plan, at);
    }
    [[nodiscard]] explicit operator bool() const noexcept {
        return static_cast<bool>(loop_);
    }  ///< whether there is a callable

private:
    Callback<detail::Owned<detail::Loop>(Comm const&, Plan const&, Point const&)> loop_;
};

/// Your own method instead of `run`: measures all variants of a point on all ranks of the team. Returns one measurement
/// per variant, complete on the root. Must check `plan.control` whenever it decides whether to continue, as `run` does.
using PointLoop =
    Callback<std::vector<Measurement>(Comm const& team, Plan const& plan, std::vector<Point> const& variants)>;

/// One benchmark. Empty members keep the program's defaults.
struct Benchmark {
    std::string name{};     ///< name in tables and records
    Maker make{};           ///< creates the operation at a point
    std::string summary{};  ///< one line for lists and help
    Finish finish{};        ///< changes the records before they are written; root only
    /// Completes a point before the measurement, for example with "bytes" from "count". Pure; called on all ranks.
    Callback<void(Point&)> complete{};
    /// Changes the plan for a complete point. Pure; called on all ranks of the team.
    Callback<void(Point const&, Plan&)> adjust{};
    /// Measures the points instead of `run`; `make` is not used.
    PointLoop loop{};
    /// Replace the program's axes of the same names. An axis without values removes the program's axis.
    std::vector<Axis> axes{};
    /// Each point is measured for all values of this axis. All variants are settled first, then measured stage by stage
    /// in random order. Each variant except the first has its ratio to the first in `Measurement::ratio`; refinement
    /// uses this ratio. If `innermost` is also set, variants are measured one after another, without a ratio.
    std::optional<Axis> variants{};
    /// Refinement uses the measurement that this axis is computed from. In this measurement, the point does not have
    /// the coordinate of this axis.
    std::optional<MeasuredAxis> innermost{};
    /// Measures the cost of an empty sample, for operations that are not called like a body. Default:
    /// `empty_sample(team, plan)`.
    Callback<std::optional<seconds>(Comm const& team, Plan const& plan)> empty{};
    /// Creates the communicator that the maker gets instead of the team, for example with a virtual topology. Called
    /// once per point and epoch on all ranks of the team. It may reorder the ranks. The library itself still uses the
    /// team, and rank 0 of the team remains the root.
    Callback<Comm(Comm const& team, Point const& at)> communicator{};
    /// The measured operation, for tools that compare programs; written to the records.
    std::optional<Semantics> semantics{};
};

}  // namespace measure
#pragma GCC visibility pop
