// SPDX-License-Identifier: BSD-3-Clause
/// run_main: the wrapper around every program: MPI, one reading of the command line, help, errors, signals, exit code.
/// checked: its answer to a command line, without MPI.
#pragma once

#include "program/cli/options.hpp"
#include "program/cli/parse.hpp"
#include "program/runtime/session.hpp"

#include <measure/environment.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace program {

/// What runs once the command line is read. It is called on all ranks with the same options.
using Body = std::function<void(Session&)>;

/// The surroundings in which a command line is judged.
struct Supposed {
    int ranks = 2;
    std::map<std::string, std::string> files{};  ///< input files: text by path
    /// true: a check ends, without a refusal, at the first file that it asks for. `run_main` leaves files to the run,
    /// which reads each of them once.
    bool leaves_files = false;
};

/// The text of an input file. For checks. \throws measure::UsageError if it is not among the supposed ones
[[nodiscard]] std::string const& supposed_file(Supposed const& supposed, std::string const& path);

/// Whether there is such a file. For checks.
[[nodiscard]] bool has_file(Supposed const& supposed, std::string const& path);

/// A program with its options read.
struct Prepared {
    /// Refuses what is wrong with the options alone. Pure. It may accept what `run` refuses later for what it finds on
    /// the machine. \throws measure::UsageError
    using Check = std::function<void(CommonOptions const&, Supposed const&)>;

    template <std::invocable<Session&> Run>
    Prepared(Run body, Check refuses = {}) : run{std::move(body)}, check{std::move(refuses)} {}
    Body run;  ///< only what `check` has accepted
    Check check;
};

/// One program.
struct Suite {
    std::string name;     ///< in the record: "mpiperf"
    std::string program;  ///< of the executable; begins every error line
    std::string summary;  ///< one sentence for the help
    CommonUse common{};
    std::string version = measure::version();  ///< "1.2.3"
    std::string banner{};                      ///< a line that --version prints before name and version
    /// false: MPI_Init is not called, and the session's world is Comm::solo(). Its default timer is monotonic_raw.
    bool uses_mpi = true;
    /// Which MPI_THREAD_.. that command line needs; empty: MPI_THREAD_SINGLE. MPI_THREAD_MULTIPLE makes calls of MPI
    /// slower. Called before MPI is initialised, with each rank's own.
    std::function<int(std::vector<std::string> const& command)> thread_level{};
    /// Declares the suite's options and returns what is to run with them (`prepared`). Pure. The options live in what
    /// is returned; the parser outlives its call.
    std::function<Prepared(Parser&, CommonOptions const&)> prepare{};
};

/// A suite's `prepare`. \param declare  (parser, options)  \param run  (options, session)
/// \param check  (options, common, supposed), see `Prepared::check`
template <typename Options, typename Declare, typename Run, typename Check>
[[nodiscard]] auto prepared(Declare declare, Run run, Check check) {
    return [declare, run, check](Parser& parser, CommonOptions const&) -> Prepared {
        auto const options = std::make_shared<Options>();
        declare(parser, *options);
        return {[options, run](Session& session) { run(*options, session); },
                [options, check](CommonOptions const& common, Supposed const& supposed) {
                    check(*options, common, supposed);
                }};
    };
}

/// The same for a program whose parser refuses all that is wrong.
template <typename Options, typename Declare, typename Run>
[[nodiscard]] auto prepared(Declare declare, Run run) {
    return prepared<Options>(declare, run, [](Options const&, CommonOptions const&, Supposed const&) {});
}

/// A program's answer to a command line.
struct Checked {
    int code = 0;        ///< 0: accepted, or a question (--help, --version); 2: refused
    std::string text{};  ///< the answer to the question, or the error lines, each with its end
};

/// Reads and judges a command line as `run_main` does before it runs anything, and the supposed input files too. Pure:
/// needs no MPI and opens no file.
/// \param words  without the program's name
[[nodiscard]] Checked checked(Suite const& suite, std::vector<std::string> const& words, Supposed const& supposed = {});

/// Runs the suite and returns the exit code, the same on every rank:
/// 0 done, 1 failed while running, 2 usage, 3 a requested check failed, 4 incomplete, 128 + signal interrupted.
///
/// Initialises and finalises MPI, unless the caller has initialised it, who then finalises it.
///
/// The root's command line is broadcast and read by every rank alike. --help and --version are printed by the root.
/// What the body throws ends the run on all ranks with one line "PROGRAM: error: TEXT" of the root: measure::UsageError
/// with 2, any other exception with 1. A rank that is lost alone, because it threw while the others are inside MPI,
/// prints its line and calls MPI_Abort(1).
[[nodiscard]] int run_main(int argc, char** argv, Suite const& suite);

}  // namespace program
