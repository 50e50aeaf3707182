// SPDX-License-Identifier: BSD-3-Clause
#include "mpbench/suite.hpp"

#include "bodies/memory.hpp"
#include "llcbench/flush.hpp"
#include "llcbench/machine.hpp"
#include "mpbench/main.hpp"
#include "mpbench/method.hpp"
#include "mpbench/mpi_bench.hpp"
#include "mpbench/options.hpp"

#include <measure/agree.hpp>

#include <memory>
#include <new>

namespace mpbench {

namespace {

/// Creates the bench with the largest size for which all processes can allocate memory.
std::unique_ptr<Bench> make_bench(Setup& setup, measure::Comm const& world, measure::seconds resolution) {
    for (;;) {
        try {
            return measure::agree_on_failure(world, [&] { return make_mpi_bench(setup, world, resolution); });
        } catch (std::bad_alloc const&) {
            if (!setup.leave_largest())
                throw;
        }
    }
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
    leave_too_large(setup, [room = bodies::room_for_buffers(world)](measure::Bytes bytes) { return bytes <= room; });
    measure_all(setup, options, machine, session, [&](measure::AnyTimer const&, measure::seconds resolution) {
        return make_bench(setup, world, resolution);
    });
}

/// Makes the checks of `resolve`. The size of the flush does not matter for them.
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
