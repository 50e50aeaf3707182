// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/options.hpp"

#include "program/cli/option_table.hpp"
#include "skampi/run/cost_model.hpp"

#include <measure/error.hpp>

namespace skampi {

namespace as = program::as;

namespace {

/// Checks a cost model and returns its text.
std::string cost_model(program::Argument const& argument) {
    static_cast<void>(cost_model_from(argument));
    return argument.value;
}

program::OptionTable<Options> option_table() {
    program::OptionTable<Options> table;
    table.option("-f,--config", "FILE", "read parameters from FILE", &Options::config, as::Text{});
    table
        .option("-o,--output", "FILE", "write results to FILE, or to FILE.1, FILE.2 .. if it exists", &Options::output,
                as::Text{})
        .unset("@OUTFILE, else skampi.out");
    table.option("-l,--log", "FILE", "write the log that lets a later launch resume the run", &Options::log, as::Text{})
        .unset("@LOGFILE, else skampi.log");
    table.flag("-n,--check", "check the parameter file, print the planned measurements and exit", &Options::check);
    table.flag("--list", "print all routines that can be measured", &Options::list);
    table.flag("--write-default-config", "write a complete parameter file to FILE (default .skampi) unless it exists",
               &Options::write_default);
    table.list("--only", "GLOB", "run only measurements whose name matches, as in --only 'MPI_Bcast*'", &Options::only,
               as::Text{});
    table.list("--skip", "GLOB", "leave out measurements whose name matches", &Options::skip, as::Text{});
    table.heading("After a crash (the same command resumes the run)");
    table.flag("--fresh", "start a new run even if the last one is unfinished", &Options::fresh);
    table.flag("--skip-crashed", "skip measurements that crashed in an earlier launch", &Options::skip_crashed);
    table.heading("Tests");
    table.option("--cost-model", "SPEC",
                 "compute times by a formula instead of measuring them, A in microseconds: "
                 "jump:A0,B0[,M1,A1,B1..][,noise=S][,outlier=P:FACTOR][,seed=N]",
                 &Options::cost_model, cost_model);
    return table;
}

}  // namespace

void declare(program::Parser& parser, Options& options) {
    option_table().declare(parser, options);
    parser.arguments("[FILE]", "file for --write-default-config", options.files);
    parser.check([&options](program::Parser const&) {
        if (options.files.size() > (options.write_default ? 1U : 0U))
            throw measure::UsageError("'" + options.files.back() +
                                      "': only --write-default-config takes a file, and only one; use -f for "
                                      "a parameter file");
    });
}

}  // namespace skampi
