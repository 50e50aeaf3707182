// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/suite.hpp"

#include "mpiperf/campaign.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/checks.hpp"
#include "mpiperf/chosen.hpp"
#include "mpiperf/main.hpp"
#include "mpiperf/noise.hpp"
#include "mpiperf/options.hpp"
#include "mpiperf/plugin/plugin.hpp"
#include "mpiperf/report/report.hpp"
#include "mpiperf/rules.hpp"
#include "program/cli/values.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mpiperf {

namespace {

void run(Options const& options, program::Session& session) {
    if (options.first_calls)
        session.keep_samples();
    if (options.list_timers)
        session.text() << list_of_timers();
    auto const plugins = load_plugins(session.world(), options.plugins);
    if (options.list_tests)
        session.text() << list_of_tests(plugins.tests());
    if (options.list_timers || options.list_tests)
        return;
    if (options.check_timer)
        check_timer(session);
    else if (options.noise)
        measure_noise(options, session);
    else if (options.check)
        check_waits(options, session);
    else
        measure_tests(options, plugins.tests(), session);
}

/// Checks the command line without starting ranks. Tests of plugins are unknown until the plugins are opened.
void check_alone(Options const& options, program::CommonOptions const& common, program::Supposed const& supposed) {
    check(options, common);
    bool const is_question = options.list_timers || options.list_tests || options.check_timer || options.noise;
    if (options.check)
        static_cast<void>(sizes_to_check(options, supposed.ranks));
    else if (!is_question && options.plugins.empty())
        static_cast<void>(chosen(options, common, {}, supposed.ranks,
                                 [&](std::string const& path) { return program::supposed_file(supposed, path); }));
}

}  // namespace

program::Suite suite() {
    return {
        .name = "mpiperf",
        .program = "mpiperf",
        .summary =
            "Measures MPI collectives and messages with synchronised start times, by the method of the MPIPerf paper. "
            "The time of a run is the time of the slowest process (messages: of process 0).",
        .common = {.sync_alg = true,
                   .plan = true,
                   .seed = true,
                   .strict = true,
                   .epochs = true,
                   .settle = true,
                   .shuffle = true,
                   .list = true,
                   .config = true,
                   .timers = {all_timers},
                   .aliases = {{"--timer", "-t"}, {"--version", "-v"}}},
        .thread_level =
            [](std::vector<std::string> const& command) {
                auto const wanted = program::lower(thread_test);
                bool const is_there = std::any_of(command.begin(), command.end(), [&](std::string const& word) {
                    return program::lower(word.substr(0, word.find(':'))) == wanted;
                });
                return is_there ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
            },
        .prepare = program::prepared<Options>(declare, run, check_alone)};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace mpiperf
