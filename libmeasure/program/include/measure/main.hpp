// SPDX-License-Identifier: BSD-3-Clause
/// main: a complete program around your own benchmarks, with command line, table, record, progress, signals and
/// watchdog.
///
/// Part of the separate library libmeasure-program, because libmeasure itself never initialises MPI and installs no
/// signal handlers.
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

/// Callbacks that format the output of a run. Called on the root only. An empty member prints the default text.
struct Page {
    /// Printed before the first measurement. Default: name, version, ranks, hosts, MPI library, timer and start in two
    /// lines.
    Callback<std::string(Environment const& run)> head{};
    /// Printed before the rows of a benchmark or of a group of compared benchmarks. Default: nothing.
    Callback<std::string(Benchmark const& benchmark)> begin{};
    /// Printed for each record. Default: a row with the program's columns.
    Callback<std::string(Record const& record, Measurement const& m)> row{};
    /// Printed after these rows. Default: the reason why refinement ended.
    Callback<std::string(Benchmark const& benchmark)> end{};
};

/// A program: its benchmarks, and the defaults of its command line options.
struct Program {
    std::string name{};     ///< name of the executable; begins every error line. Letters, digits, _ and -
    std::string summary{};  ///< description for the help, one sentence
    /// Each axis has an option ("block_size" has --block-size) and is a coordinate of the recorded points. The axis
    /// "ranks" always exists. If it is not listed here, it comes first, and its value is the number of ranks in
    /// MPI_COMM_WORLD.
    std::vector<Axis> axes{};
    /// At least one benchmark. If there are several, the command line can select benchmarks by name. Names must differ
    /// in more than letter case.
    std::vector<Benchmark> benchmarks{};
    /// Settings of the measurements. --timer, --start, --sync-alg, --epochs, --stop, --trim, --confidence, --batch,
    /// --settle and --raw change them. The hooks of `control` for epochs and stages are kept.
    Plan plan{};
    std::optional<Refinement> refine{};  ///< refinement of the last axis; --refine changes its tolerance
    /// Name of the benchmark with which the others are compared. All benchmarks are then measured together at each
    /// point, stage by stage in random order. The table and `derived.ratio` show the ratio of every other benchmark to
    /// the reference.
    std::string reference{};
    /// Called with every record, in addition to table and record file. Root only.
    Callback<void(Record const&, Measurement const&)> sink{};
    std::vector<Column> columns{};  ///< columns of the table; by default the columns of `TableSink`
    Page page{};                    ///< text around the rows
    /// Adapts the plan to the environment, for example to the timer's resolution. Called on all ranks. The environment
    /// is complete on the root. On other ranks, it has only `timer`, `ranks` and `oversubscribed`.
    Callback<void(Plan&, Environment const&)> prepare{};
    /// Called before each point and after the points of each benchmark, on all ranks, outside of timed regions.
    /// \{
    Callback<void(Benchmark const&, Point const&)> before{};
    Callback<void(Benchmark const&)> after{};
    /// \}
    /// Computes summaries of all points, for the end of the table and of the record file. Root only.
    Callback<std::vector<Summary>(std::span<Record const>)> summarize{};
    std::string version{};  ///< "1.2.3"; empty: the library's version
    /// Additional names of options: {"--bytes", "-b"}.
    std::vector<std::pair<std::string, std::string>> aliases{};
    TableForm form = TableForm::text;  ///< format of the table; --format changes it
};

/// Runs the program on MPI_COMM_WORLD. Initialises and finalises MPI, unless the caller has already initialised it, for
/// example with threads. In this case, the caller must also finalise it. Collective.
///
/// The command line has --help, --version, --format, --json, --raw, --quiet, --progress, --timer, --start, --sync-alg,
/// --stop, --trim, --confidence, --batch, --seed, --epochs, --settle, --retry, --shuffle, --refine, --list, --strict,
/// --time-budget, --watchdog, --config, and one option per axis. SIGINT, SIGTERM and SIGHUP end the run at the next
/// decision point.
///
/// \return the exit code, the same on all ranks: 0 done; 1 failed while running; 2 wrong usage; 3 an operation's check
///         found wrong data; 4 incomplete; 128 + signal interrupted. Exceptions are caught and reported as one line on
///         stderr
[[nodiscard]] int run_main(int argc, char** argv, Program const& program);

}  // namespace measure
#pragma GCC visibility pop
