// SPDX-License-Identifier: BSD-3-Clause
/// Benchmark: one row of what a program or a sweep measures: its name, what makes it, and what it does differently from
/// the others.
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

/// A varied parameter: its name and its values in the order of measuring.
struct Axis {
    std::string name;                       ///< of the coordinate; "ranks" and "bytes" have a meaning of their own
    std::vector<Point::Coordinate> values;  ///< at least one
};

/// One more, innermost axis, whose values follow from a measurement at each point of the others: as long as an
/// operation lasts, for instance. That measurement is not recorded itself, unless it has no value: then there are no
/// points to measure, and it stands for them.
struct MeasuredAxis {
    std::string name;     ///< of the coordinate
    StoppingRule stop{};  ///< of the measurement, instead of the plan's
    /// The values, from that measurement. Root only.
    Callback<std::vector<double>(Point const&, Measurement const&)> values{};
    /// What the values will be, for those who list the points before anything is measured: "0.5*blocking_time".
    std::vector<std::string> texts{};
};

/// Changes a record before it is written, for example into a rate: a callable finish(record) or
/// finish(record, measurement), called once per point on the root.
class Finish {
public:
    Finish() = default;  ///< changes nothing
    /// Keeps a copy of the callable.
    template <class F>
    requires(!std::is_same_v<F, Finish> &&
             (std::is_invocable_v<F&, Record&> || std::is_invocable_v<F&, Record&, Measurement const&>))
        Finish(F finish)  // NOLINT(google-explicit-constructor): a callable is what finishes
        : finish_{[finish = std::move(finish)](Record& record, Measurement const& m) mutable {
              if constexpr (std::is_invocable_v<F&, Record&, Measurement const&>)
                  finish(record, m);
              else
                  finish(record);
          }} {}

    /// Changes the record. \param m  the measurement that it was made of; empty for a point that was skipped
    void operator()(Record& record, Measurement const& m) const { finish_(record, m); }
    [[nodiscard]] explicit operator bool() const noexcept {
        return static_cast<bool>(finish_);
    }  ///< whether it changes anything

private:
    Callback<void(Record&, Measurement const&)> finish_;
};

/// Makes what is measured at a point: a callable make(team, point) or make(point) that returns an operation or a body,
/// called once per point and epoch, outside all timing, on all ranks of the team. One that cannot have a point throws
/// `SkipPoint`.
class Maker {
public:
    Maker() = default;  ///< makes nothing: for benchmarks with a loop of their own
    /// Keeps a copy of the callable.
    template <class Make>
    requires(std::is_invocable_v<Make&, Comm const&, Point const&> || std::is_invocable_v<Make&, Point const&>)
        Maker(Make make)  // NOLINT(google-explicit-constructor): a maker is a maker
        : loop_{[make = std::move(make)](Comm const& team, Plan const& plan, Point const& at) mutable {
              auto const make_here = [&](Comm const& epoch) {
                  if constexpr (std::is_invocable_v<Make&, Comm const&, Point const&>)
                      return make(epoch, at);
                  else
                      return make(at);
              };
              return detail::loop_of(plan.timer, make_here, team);
          }} {}

    /// Refuses to compile for a callable that takes no point, and says so.
    template <class Make>
    requires(!std::is_invocable_v<Make&, Comm const&, Point const&> && !std::is_invocable_v<Make&, Point const&> &&
             (std::is_invocable_v<Make&, Comm const&> || std::is_invocable_v<Make&>))
        Maker(Make const&) {  // NOLINT(google-explicit-constructor): as above
        static_assert(std::is_void_v<Make>,
                      "a maker takes the point: make(measure::Comm const&, measure::Point const&) "
                      "or make(measure::Point const&)");
    }

    /// Makes the operation of a point on the communicator of an epoch, ready to be measured by the plan's timer.
    [[nodiscard]] detail::Owned<detail::Loop> operator()(Comm const& epoch, Plan const& plan, Point const& at) const {
        return loop_(epoch, plan, at);
    }
    [[nodiscard]] explicit operator bool() const noexcept {
        return static_cast<bool>(loop_);
    }  ///< whether it makes any

private:
    Callback<detail::Owned<detail::Loop>(Comm const&, Plan const&, Point const&)> loop_;
};

/// Measures a point by a method of one's own instead of `run`: all of its variants, on all ranks of the team, and
/// returns as many measurements, complete on the root. It asks `plan.control` at its decisions, as `run` does.
using PointLoop =
    Callback<std::vector<Measurement>(Comm const& team, Plan const& plan, std::vector<Point> const& variants)>;

/// One thing that is measured. Members without a value leave everything as the program and its plan say.
struct Benchmark {
    std::string name{};     ///< in tables and records
    Maker make{};           ///< of the operation at a point
    std::string summary{};  ///< one line for lists and help
    Finish finish{};        ///< of its records, before they are written. Root only
    /// Completes a point before it is measured, for example with "bytes" from "count". Pure; called on all ranks.
    Callback<void(Point&)> complete{};
    /// Changes what the plan says, at a point that is complete. Pure; called on all ranks of the team.
    Callback<void(Point const&, Plan&)> adjust{};
    /// Measures in place of `make`.
    PointLoop loop{};
    /// In place of the program's axes of these names; an axis without values is left out.
    std::vector<Axis> axes{};
    /// Every point is measured for each value of this axis. All are settled first, then measured stage by stage in
    /// random order, and each but the first has `Measurement::ratio` to the first, which is what refinement goes by.
    /// Together with `innermost` they are measured one after another, without a ratio.
    std::optional<Axis> variants{};
    /// Its measurement is what refinement looks at. A point of the axes lacks its coordinate while it is measured.
    std::optional<MeasuredAxis> innermost{};
    /// What an empty sample costs, where the operation is not reached like a body: by default
    /// `empty_sample(team, plan)`.
    Callback<std::optional<seconds>(Comm const& team, Plan const& plan)> empty{};
    /// Makes the communicator that the maker gets instead of the team, for example one with a virtual topology; called
    /// once per point and epoch on the ranks of the team. Its ranks may be in another order: the library itself goes on
    /// over the team, whose rank 0 stays the root of every decision.
    Callback<Comm(Comm const& team, Point const& at)> communicator{};
    /// Which operation it measures, for readers that compare programs; it stands in the records.
    std::optional<Semantics> semantics{};
};

}  // namespace measure
#pragma GCC visibility pop
