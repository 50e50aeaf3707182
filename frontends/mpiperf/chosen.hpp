// SPDX-License-Identifier: BSD-3-Clause
/// Chosen: the tests and points that a command line asks for, or the reason why it is refused. Pure.
#pragma once

#include "bodies/large_count.hpp"
#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/topology.hpp"
#include "mpiperf/options.hpp"
#include "program/cli/options.hpp"

#include <measure/benchmark.hpp>

#include <span>
#include <vector>

namespace mpiperf {

/// The tests and points of a run.
struct Chosen {
    std::vector<Test const*> tests;   ///< without Memory, which is handled separately
    std::vector<measure::Axis> axes;  ///< "ranks", "count"
    Topology topology;                ///< the topology of the options, or the default for tests that need one
};

/// Checks and resolves a run that measures tests or lists their points, in a world of that size.
/// \param own  the tests of plugins  \param text_of  reads a file
/// \throws measure::UsageError for options that do not fit this world or these tests; program::ParseErrors
[[nodiscard]] Chosen chosen(Options const& options, program::CommonOptions const& common, std::span<Test const> own,
                            int world, TextOf const& text_of, bodies::CountLimits const& limits = {});

}  // namespace mpiperf
