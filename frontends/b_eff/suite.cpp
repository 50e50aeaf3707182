// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/suite.hpp"

#include "b_eff/campaign.hpp"
#include "b_eff/main.hpp"
#include "b_eff/options.hpp"
#include "bodies/memory.hpp"

#include <chrono>

namespace b_eff {

namespace {

/// \param ranks  size of the world
Setup setup_of(Options const& options, program::CommonOptions const& common, int ranks, MachineMemory const& machine) {
    return resolve(options, common.ranks.value_or(ranks), common.seed, machine);
}

void check(Options const& options, program::CommonOptions const& common, program::Supposed const& supposed) {
    static_cast<void>(setup_of(options, common, supposed.ranks, {.share = measure::mebi}));
}

void run(Options const& options, program::Session& session) {
    auto const started = measure::SteadyClock::now();
    auto const& common = session.common();
    auto const& world = session.world();
    MachineMemory const machine{bodies::memory_per_process(world, common.ranks), bodies::memory_per_process_source};
    auto const setup = setup_of(options, common, world.size(), machine);
    if (common.list)
        list_all(setup, session, common.ranks.has_value());
    else
        measure_all(setup, session, started);
}

}  // namespace

program::Suite suite() {
    return {.name = "b_eff",
            .program = "b_eff",
            .summary = "Measures the effective bandwidth of a parallel system (Rabenseifner, Koniges).",
            .common = {.seed = true,
                       .list = true,
                       .defaults = {.time_budget = measure::seconds{300}},
                       .aliases = {{"--help", "-help"}}},
            .prepare = program::prepared<Options>(declare, run, check)};
}

int run_main(int argc, char** argv) { return program::run_main(argc, argv, suite()); }

}  // namespace b_eff
