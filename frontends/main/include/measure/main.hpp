// SPDX-License-Identifier: BSD-3-Clause
/// main: a whole program around benchmarks of one's own: command line, table, record, progress, signals, watchdog.
///
/// A library of its own, libmeasure-main: libmeasure installs no handlers and never initialises MPI, a program must.
#pragma once

#include "measure/callback.hpp"
#include "measure/comm.hpp"
#include "measure/fold.hpp"
#include "measure/measurement.hpp"
#include "measure/operation.hpp"
#include "measure/pattern.hpp"
#include "measure/plan.hpp"
#include "measure/record.hpp"
#include "measure/refine.hpp"
#include "measure/run.hpp"
#include "measure/sweep.hpp"

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Makes what is measured at a point: a callable make(team, point) or make(point) that returns an operation or a body,
/// like the maker of a sweep: called once per point and epoch, outside all timing, on all ranks of the team.
/// The coordinate "ranks" of a point is the size of its team. One that cannot have a point throws `Unmeasurable`.
class Maker {
public:
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

    /// Makes the operation of a point on the communicator of an epoch, ready to be measured by the plan's timer.
    [[nodiscard]] detail::Owned<detail::Loop> operator()(Comm const& epoch, Plan const& plan, Point const& at) const {
        return loop_(epoch, plan, at);
    }

private:
    Callback<detail::Owned<detail::Loop>(Comm const&, Plan const&, Point const&)> loop_;
};

/// One thing that a program measures.
struct Benchmark {
    std::string name{};     ///< as --list shows it and records have it
    Maker make;             ///< of the operation at a point
    std::string summary{};  ///< one line for the help
    /// Changes a record before it is written, for example into a rate. Root only.
    Callback<void(Record&)> finish{};
};

/// A program: what it measures, and what it starts with where the command line says nothing.
struct Program {
    std::string name{};     ///< of the executable; begins every error line. Letters, digits, _ and -
    std::string summary{};  ///< one sentence for the help
    /// Each has an option of its name: "bytes" is --bytes, "block_size" is --block-size. A point of the record has all
    /// of them as coordinates. The axis "ranks", first and of the size of the world unless it stands here, is always
    /// there.
    std::vector<Axis> axes{};
    /// At least one; of several, the command line may choose, by names that differ in more than capitals.
    std::vector<Benchmark> benchmarks{};
    /// How to measure. --timer, --start, --sync-alg and --epochs change it; `control` keeps its hooks for stages.
    Plan plan{};
    std::optional<Refinement> refine{};  ///< of the last axis; --refine changes its tolerance
    /// A benchmark that the others are compared with: all are then measured at each point, stage by stage in random
    /// order, and each of the others has its ratio to this one in the table and in `derived.ratio`.
    std::string reference{};
    /// Called with every record beside the table and the record file. Root only.
    Callback<void(Record const&, Measurement const&)> sink{};
    /// What follows from all points, for the end of the table and of the record file. Root only.
    Callback<std::vector<Summary>(std::span<Record const>)> summarize{};
    std::string version{};  ///< "1.2.3"; the library's where empty
};

/// Runs the program on MPI_COMM_WORLD. Initialises and finalises MPI, unless the caller has initialised it (with
/// threads, for instance), who then finalises it.
///
/// The command line has --help, --version, --json, --raw, --quiet, --progress, --timer, --start, --sync-alg, --seed,
/// --epochs, --shuffle, --refine, --list, --strict, --time-budget, --watchdog, --config, and one option per axis.
/// SIGINT, SIGTERM and SIGHUP end it at the next decision.
///
/// \return the exit code, the same on all ranks: 0 done, 1 failed while running, 2 wrong use, 3 an operation's check
///         found wrong data, 4 incomplete, 128 + signal interrupted. Whatever is thrown inside is one line on stderr
[[nodiscard]] int run_main(int argc, char** argv, Program const& program);

}  // namespace measure
#pragma GCC visibility pop
