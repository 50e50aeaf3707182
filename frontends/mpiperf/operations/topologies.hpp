// SPDX-License-Identifier: BSD-3-Clause
/// Topologies of a campaign: which test runs on which, and what became of it.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/chosen.hpp"
#include "mpiperf/operations/operations.hpp"
#include "mpiperf/operations/topology.hpp"
#include "mpiperf/options.hpp"

#include <measure/benchmark.hpp>
#include <measure/comm.hpp>
#include <measure/record.hpp>

#include <span>
#include <string>

namespace mpiperf {

/// The topology of the options with its file read, or the one for tests that need one, and whether it fits tests and
/// numbers of processes. Pure.
/// \param axes  "ranks", "count"  \throws measure::UsageError, program::ParseErrors; what `text_of` throws
[[nodiscard]] Topology chosen_topology(Options const& options, std::span<Test const* const> tests,
                                       std::span<measure::Axis const> axes, TextOf const& text_of);

/// Neither copied nor moved, because benchmarks refer to it.
class Topologies {
public:
    Topologies(Options const& options, Chosen const& chosen);
    Topologies(Topologies const&) = delete;
    Topologies& operator=(Topologies const&) = delete;

    /// For the header; empty where no test has a topology.
    [[nodiscard]] std::string const& text() const noexcept { return text_; }

    /// Gives the test's points their communicators, and their records `topology`.
    void apply(Test const& test, measure::Benchmark& row);

private:
    [[nodiscard]] Topology const* topology_of(Test const& test) const noexcept;

    Topology chosen_;
    bool for_all_;  ///< the user has chosen; otherwise it is for the tests that need one
    bool reorder_;
    std::string text_;
    ByPoint<measure::Value> descriptions_;  ///< of the communicators
};

}  // namespace mpiperf
