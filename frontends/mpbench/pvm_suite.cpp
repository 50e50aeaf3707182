// SPDX-License-Identifier: BSD-3-Clause
#include "pvm_suite.hpp"

#include "campaign.hpp"
#include "llcbench/flush.hpp"
#include "options.hpp"
#include "pvm_bench.hpp"

#include <fmt/format.h>

#include <memory>
#include <pvm3.h>
#include <string>

namespace mpbench {

namespace {

void run(Options const& options, program::Session& session) {
    auto const machine = llcbench::machine();
    auto setup = resolve(options, options.tasks, llcbench::flush_size(machine.last_level_cache()));
    PvmTasks const tasks{setup.tasks};
    setup.layer = {{"pvm", pvm_version()}, {"route", "direct"}, {"hosts", fmt::format("{}", tasks.hosts())}};
    setup.oversubscribed = tasks.oversubscribed();
    if (!tasks.have_memory(setup.memory()))
        throw too_large(setup);
    session.add_to_run("pvm",
                       measure::Value::Object{{"version", std::string{pvm_version()}}, {"hosts", tasks.hosts()}});
    measure_all(setup, machine, session, [&](measure::AnyTimer const& timer, measure::seconds resolution) {
        return make_pvm_bench(tasks, setup, session, timer, resolution);
    });
}

}  // namespace

program::Suite pvm_suite() {
    return {.name = "mpbench",
            .program = "mpbench-pvm",
            .summary = "Measures messages and collective operations of PVM by the method of MPBench.",
            .uses_mpi = false,
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                options->api = Api::pvm;
                declare(parser, *options);
                return [options](program::Session& session) { run(*options, session); };
            }};
}

}  // namespace mpbench
