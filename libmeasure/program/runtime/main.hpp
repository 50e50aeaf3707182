// SPDX-License-Identifier: BSD-3-Clause
/// run_main: the wrapper around every program: MPI, command line, help, errors, signals, exit code.
/// checked: parses and checks a command line without MPI.
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

/// Runs after the command line is read. Called on all ranks with the same options.
using Body = std::function<void(Session&)>;

/// The environment that is assumed when a command line is checked.
struct Supposed {
    int ranks = 2;
    std::map<std::string, std::string> files{};  ///< input files: text by path
    /// true: a check ends without an error at the first file that it requests. `run_main` sets it, because the run
    /// reads each file itself.
    bool leaves_files = false;
};

/// The text of an input file. For checks. \throws measure::UsageError if it is not among the supposed files
[[nodiscard]] std::string const& supposed_file(Supposed const& supposed, std::string const& path);

/// Whether there is such a file. For checks.
[[nodiscard]] bool has_file(Supposed const& supposed, std::string const& path);

/// A program with its options read.
struct Prepared {
    /// Refuses invalid options. Pure. `run` may refuse more, for reasons that it finds on the machine.
    /// \throws measure::UsageError
    using Check = std::function<void(CommonOptions const&, Supposed const&)>;

    template <std::invocable<Session&> Run>
    Prepared(Run body, Check refuses = {}) : run{std::move(body)}, check{std::move(refuses)} {}
    Body run;  ///< called only after `check` has accepted the options
    Check check;
};

/// Description of a program for `run_main`.
struct Suite {
    std::string name;     ///< name in the record: "mpiperf"
    std::string program;  ///< name of the executable; begins every error line
    std::string summary;  ///< description for the help, one sentence
    CommonUse common{};
    std::string version = measure::version();  ///< "1.2.3"
    std::string banner{};                      ///< line that --version prints before name and version
    /// false: MPI_Init is not called, and the session's world is Comm::solo(). Its default timer is monotonic_raw.
    bool uses_mpi = true;
    /// The MPI_THREAD_.. level that the command line needs; empty: MPI_THREAD_SINGLE. MPI_THREAD_MULTIPLE makes MPI
    /// calls slower. Called before MPI is initialised, with each rank's own command line.
    std::function<int(std::vector<std::string> const& command)> thread_level{};
    /// Declares the suite's options and returns the body that uses them (`prepared`). Pure. The returned object owns
    /// the options; the parser outlives its call.
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

/// Overload for a program whose parser finds all errors.
template <typename Options, typename Declare, typename Run>
[[nodiscard]] auto prepared(Declare declare, Run run) {
    return prepared<Options>(declare, run, [](Options const&, CommonOptions const&, Supposed const&) {});
}

/// The result of checking a command line.
struct Checked {
    int code = 0;        ///< 0: accepted, or --help or --version; 2: refused
    std::string text{};  ///< the text of --help or --version, or the error lines, each with a newline
};

/// Parses and checks a command line as `run_main` does before it runs the body. Checks the supposed input files as
/// well. Pure: needs no MPI and opens no file. \param words  without the program's name
[[nodiscard]] Checked checked(Suite const& suite, std::vector<std::string> const& words, Supposed const& supposed = {});

/// Runs the suite and returns the exit code, the same on every rank:
/// 0 done, 1 failed while running, 2 usage, 3 a requested check failed, 4 incomplete, 128 + signal interrupted.
///
/// Initialises and finalises MPI, unless the caller has already initialised it; then the caller must also finalise it.
///
/// The root's command line is broadcast, and every rank parses it. The root prints --help and --version. An exception
/// of the body ends the run on all ranks, and the root prints one line "PROGRAM: error: TEXT". The code is 2 for
/// measure::UsageError and 1 for any other exception. A rank that threw while the others are inside MPI prints its line
/// itself and calls MPI_Abort(1).
[[nodiscard]] int run_main(int argc, char** argv, Suite const& suite);

}  // namespace program
