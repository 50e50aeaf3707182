// SPDX-License-Identifier: BSD-3-Clause
/// main: a whole program around benchmarks of one's own: command line, table, record, progress, signals, watchdog.
///
/// A library of its own, libmeasure-program: libmeasure installs no handlers and never initialises MPI, a program must.
#pragma once

#include "measure/benchmark.hpp"
#include "measure/callback.hpp"
#include "measure/comm.hpp"
#include "measure/environment.hpp"
#include "measure/fold.hpp"
#include "measure/measurement.hpp"
#include "measure/operation.hpp"
#include "measure/pattern.hpp"
#include "measure/plan.hpp"
#include "measure/record.hpp"
#include "measure/refine.hpp"
#include "measure/run.hpp"
#include "measure/sweep.hpp"
#include "measure/table.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// What is printed of a run. Root only. A member that is empty prints what every program prints there.
struct Page {
    /// Before anything is measured; by default name, version, ranks, hosts, library, timer and start in two lines.
    Callback<std::string(Environment const& run)> head{};
    /// Before the rows of a benchmark, or of those that are compared; by default nothing.
    Callback<std::string(Benchmark const& benchmark)> begin{};
    /// Of each record; by default a row of the program's columns.
    Callback<std::string(Record const& record, Measurement const& m)> row{};
    /// Behind those rows; by default how refinement ended.
    Callback<std::string(Benchmark const& benchmark)> end{};
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
    /// How to measure. --timer, --start, --sync-alg, --epochs, --stop, --trim, --confidence, --batch, --settle and
    /// --raw change it; `control` keeps its hooks for epochs and stages.
    Plan plan{};
    std::optional<Refinement> refine{};  ///< of the last axis; --refine changes its tolerance
    /// A benchmark that the others are compared with: all are then measured at each point, stage by stage in random
    /// order, and each of the others has its ratio to this one in the table and in `derived.ratio`.
    std::string reference{};
    /// Called with every record beside the table and the record file. Root only.
    Callback<void(Record const&, Measurement const&)> sink{};
    std::vector<Column> columns{};  ///< of the table; by default those of `TableSink`
    Page page{};                    ///< what stands around the rows
    /// Changes the plan once the run's environment is known: by the timer's resolution, for example. All ranks;
    /// on all of them the environment has `timer`, `ranks` and `oversubscribed`, on the root the rest too.
    Callback<void(Plan&, Environment const&)> prepare{};
    /// Called before each point and after the points of each benchmark, on all ranks, outside all timing.
    /// \{
    Callback<void(Benchmark const&, Point const&)> before{};
    Callback<void(Benchmark const&)> after{};
    /// \}
    /// What follows from all points, for the end of the table and of the record file. Root only.
    Callback<std::vector<Summary>(std::span<Record const>)> summarize{};
    std::string version{};  ///< "1.2.3"; the library's where empty
    /// More names for options: {"--bytes", "-b"}.
    std::vector<std::pair<std::string, std::string>> aliases{};
    TableForm form = TableForm::text;  ///< of the table; --format changes it
};

/// Runs the program on MPI_COMM_WORLD. Initialises and finalises MPI, unless the caller has initialised it (with
/// threads, for instance), who then finalises it.
///
/// The command line has --help, --version, --format, --json, --raw, --quiet, --progress, --timer, --start, --sync-alg,
/// --stop, --trim, --confidence, --batch, --seed, --epochs, --settle, --retry, --shuffle, --refine, --list, --strict,
/// --time-budget, --watchdog, --config, and one option per axis. SIGINT, SIGTERM and SIGHUP end it at the next
/// decision.
///
/// \return the exit code, the same on all ranks: 0 done, 1 failed while running, 2 wrong use, 3 an operation's check
///         found wrong data, 4 incomplete, 128 + signal interrupted. Whatever is thrown inside is one line on stderr
[[nodiscard]] int run_main(int argc, char** argv, Program const& program);

}  // namespace measure
#pragma GCC visibility pop
