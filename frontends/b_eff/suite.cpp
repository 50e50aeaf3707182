// SPDX-License-Identifier: BSD-3-Clause
#include "suite.hpp"

#include "bodies/memory.hpp"
#include "campaign.hpp"
#include "options.hpp"

#include <measure/comm.hpp>

#include <algorithm>
#include <chrono>
#include <memory>

namespace b_eff {

namespace {

/// The smallest over the nodes of their memory divided by their processes, in whole MB. Collective.
/// \param supposed  processes of a world that is not there: as many on each node as this one has cores
MachineMemory machine_memory(measure::Comm const& world, std::optional<int> supposed) {
    auto const node = world.node();
    int const per_node = supposed ? std::min(*supposed, measure::usable_cores()) : node.size();
    auto const share = bodies::node_memory().total / std::max(per_node, 1) / measure::mebi * measure::mebi;
    auto const smallest = static_cast<measure::Bytes>(-world.max(-static_cast<double>(share)));
    return {smallest, "auto: memory of a node / its processes, the smallest of all nodes"};
}

void run(Options const& options, program::Session& session) {
    auto const started = std::chrono::steady_clock::now();
    auto const& common = session.common();
    auto const& world = session.world();
    auto const setup =
        resolve(options, common.ranks.value_or(world.size()), common.seed, machine_memory(world, common.ranks));
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
            .prepare = [](program::Parser& parser, program::CommonOptions const&) -> program::Body {
                auto const options = std::make_shared<Options>();
                declare(parser, *options);
                return [options](program::Session& session) { run(*options, session); };
            }};
}

}  // namespace b_eff
