// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/suite.hpp"

#include "bodies/memory.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/machine.hpp"
#include "mpbench/main.hpp"
#include "mpbench/method.hpp"
#include "mpbench/mpi_bench.hpp"
#include "mpbench/options.hpp"

namespace mpbench {

namespace {

/// The memory of each host is asked for by all of its processes; one that lacks it stops all.
void check_memory(Setup const& setup, measure::Comm const& world) {
    bool const lacks = setup.memory() > bodies::memory_left(world);
    if (world.max(lacks ? 1.0 : 0.0) > 0)
        throw too_large(setup);
}

void run(Options const& options, program::Session& session) {
    auto const& world = session.world();
    auto const machine = world.is_root() ? llcbench::machine() : llcbench::Machine{};
    measure::Bytes flush = llcbench::flush_size(machine.last_level_cache());
    world.broadcast(flush);
    auto setup = resolve(options, session.common().ranks.value_or(world.size()), flush);
    if (session.common().list)
        return list(setup, session);
    setup.oversubscribed = world.oversubscribed();
    check_memory(setup, world);
    measure_all(setup, options, machine, session, [&](measure::AnyTimer const&, measure::seconds resolution) {
        return make_mpi_bench(setup, world, resolution);
    });
}

/// Refuses what `resolve` refuses. The size of the flush does not matter.
void check_options(Options const& options, int tasks) {
    static_cast<void>(resolve(options, tasks, llcbench::flush_size(0)));
}

}  // namespace

program::Suite suite() {
    program::CommonUse use{.list = true, .config = true};
    use.defaults.retry = 0;
    return {.name = "mpbench",
            .program = "mpbench",
            .summary = "Measures messages and collective operations of MPI by the method of MPBench.",
            .common = use,
            .prepare = program::prepared<Options>(
                declare, run,
                [](Options const& options, program::CommonOptions const& common, program::Supposed const& supposed) {
                    check_options(options, common.ranks.value_or(supposed.ranks));
                })};
}

program::Suite pvm_suite(std::function<void(Options const&, program::Session&)> const& run) {
    program::CommonUse use{.list = true, .ranks = false, .config = true};
    use.defaults.retry = 0;
    return {.name = "mpbench",
            .program = "mpbench-pvm",
            .summary = "Measures messages and collective operations of PVM by the method of MPBench.",
            .common = use,
            .uses_mpi = false,
            .prepare = program::prepared<Options>(
                [](program::Parser& parser, Options& options) {
                    options.api = Api::pvm;
                    declare(parser, options);
                },
                run,
                [](Options const& options, program::CommonOptions const&, program::Supposed const&) {
                    check_options(options, options.tasks);
                })};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace mpbench
