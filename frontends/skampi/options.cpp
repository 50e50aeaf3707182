// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/options.hpp"

#include "program/cli/option_table.hpp"
#include "skampi/run/cost_model.hpp"

#include <measure/error.hpp>

namespace skampi {

namespace as = program::as;

namespace {

/// A cost model, kept as it is written.
std::string cost_model(program::Argument const& argument) {
    static_cast<void>(cost_model_from(argument));
    return argument.value;
}

program::OptionTable<Options> option_table() {
    program::OptionTable<Options> table;
    table.option("-f,--config", "FILE", "parameter file", &Options::config, as::Text{});
    table.option("-o,--output", "FILE", "output file; never replaced: FILE.1, FILE.2 ..", &Options::output, as::Text{})
        .unset("@OUTFILE, else skampi.out");
    table.option("-l,--log", "FILE", "log of the run", &Options::log, as::Text{}).unset("@LOGFILE, else skampi.log");
    table.flag("-n,--check", "check the parameter file, print what would be measured, and measure nothing",
               &Options::check);
    table.flag("--list", "print all routines that can be measured", &Options::list);
    table.flag("--write-default-config", "write a complete parameter file to FILE (default .skampi) if there is none",
               &Options::write_default);
    table.list("--only", "GLOB", "only measurements whose names match, as in --only 'MPI_Bcast*'", &Options::only,
               as::Text{});
    table.list("--skip", "GLOB", "no measurements whose names match", &Options::skip, as::Text{});
    table.heading("After a crash: the same command goes on with the run");
    table.flag("--fresh", "begin a new run although the last one is unfinished", &Options::fresh);
    table.flag("--skip-crashed", "give measurements up that crashed", &Options::skip_crashed);
    table.heading("Tests");
    table.option("--cost-model", "SPEC",
                 "times by a formula: jump:A0,B0[,M1,A1,B1..][,noise=S][,outlier=P:FACTOR][,seed=N], microseconds",
                 &Options::cost_model, cost_model);
    return table;
}

}  // namespace

void declare(program::Parser& parser, Options& options) {
    option_table().declare(parser, options);
    parser.arguments("[FILE]", "with --write-default-config", options.files);
    parser.check([&options](program::Parser const&) {
        if (options.files.size() > (options.write_default ? 1U : 0U))
            throw measure::UsageError("'" + options.files.back() +
                                      "': a file is named only with --write-default-config, and one at most (-f names "
                                      "a parameter file)");
    });
}

}  // namespace skampi
