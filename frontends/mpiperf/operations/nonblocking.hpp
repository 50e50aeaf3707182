// SPDX-License-Identifier: BSD-3-Clause
/// Non-blocking collectives: times of issue and wait, and the share of the operation that computing hides.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>

namespace mpiperf {

/// Name of the coordinate with the time of computing, in seconds.
inline constexpr char const* compute_coordinate = "compute";

/// Sets up the benchmark with the non-blocking variant of the test's collective.
void build_nonblocking(Test const& test, Setting const& setting, measure::Benchmark& row);

/// Sets up the non-blocking neighbourhood collective, on communicators with a topology.
void build_nonblocking_neighbours(Test const& test, Setting const& setting, measure::Benchmark& row);

}  // namespace mpiperf
