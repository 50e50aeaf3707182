// SPDX-License-Identifier: BSD-3-Clause
/// Topologies of a campaign: assigns them to tests and records the resulting communicators.
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

/// The topology of the options with its file read, or the default for tests that need one. Checks that it fits the
/// tests and the numbers of processes. Pure.
/// \param axes  "ranks", "count"  \throws measure::UsageError, program::ParseErrors; exceptions of `text_of`
[[nodiscard]] Topology chosen_topology(Options const& options, std::span<Test const* const> tests,
                                       std::span<measure::Axis const> axes, TextOf const& text_of);

/// Not copyable or movable, because benchmarks refer to it.
class Topologies {
public:
    Topologies(Options const& options, Chosen const& chosen);
    Topologies(Topologies const&) = delete;
    Topologies& operator=(Topologies const&) = delete;

    /// Text for the header; empty if no test has a topology.
    [[nodiscard]] std::string const& text() const noexcept { return text_; }

    /// Sets up the communicators of the test's points and adds `topology` to their records.
    void apply(Test const& test, measure::Benchmark& row);

private:
    [[nodiscard]] Topology const* topology_of(Test const& test) const noexcept;

    Topology chosen_;
    bool for_all_;  ///< the user chose it; otherwise it is used only for tests that need one
    bool reorder_;
    std::string text_;
    ByPoint<measure::Value> descriptions_;  ///< descriptions of the communicators
};

}  // namespace mpiperf
