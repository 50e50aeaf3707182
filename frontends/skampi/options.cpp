// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <measure/error.hpp>

namespace skampi {

namespace as = program::as;

void declare(program::Parser& parser, Options& options) {
    parser.option("-f,--config", "FILE", "parameter file (default .skampi)", options.config, as::Text{});
    parser.option("-o,--output", "FILE",
                  "output file instead of @OUTFILE (skampi.out); never replaced: FILE.1, FILE.2 ..", options.output,
                  as::Text{});
    parser.option("-l,--log", "FILE", "log of the run instead of @LOGFILE (skampi.log)", options.log, as::Text{});
    parser.flag("-n,--check", "check the parameter file, print what would be measured, and measure nothing",
                options.check);
    parser.flag("--list", "print all routines that can be measured", options.list);
    parser.flag("--write-default-config", "write a complete parameter file to FILE (default .skampi) if there is none",
                options.write_default);
    parser.list("--only", "GLOB", "only measurements whose names match, as in --only 'MPI_Bcast*'", options.only,
                as::Text{});
    parser.list("--skip", "GLOB", "no measurements whose names match", options.skip, as::Text{});
    parser.heading("After a crash: the same command goes on with the run");
    parser.flag("--fresh", "begin a new run although the last one is unfinished", options.fresh);
    parser.flag("--skip-crashed", "give measurements up that crashed", options.skip_crashed);
    parser.heading("Tests");
    parser.option("--cost-model", "SPEC",
                  "times by a formula: jump:A0,B0[,M1,A1,B1..][,noise=S][,outlier=P:FACTOR][,seed=N], microseconds",
                  options.model, [&](program::Argument const& argument) {
                      options.model_text = argument.value;
                      return std::optional{cost_model_from(argument)};
                  });
    parser.arguments("[FILE]", "with --write-default-config", options.files);
}

void check(Options const& options) {
    if (options.files.size() > (options.write_default ? 1U : 0U))
        throw measure::UsageError("'" + options.files.back() +
                                  "': a file is named only with --write-default-config, and one at most (-f names a "
                                  "parameter file)");
}

}  // namespace skampi
