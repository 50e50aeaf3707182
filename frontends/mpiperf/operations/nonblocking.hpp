// SPDX-License-Identifier: BSD-3-Clause
/// Non-blocking collectives: how long issue and wait take, and how much of the operation hides behind computing.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>

namespace mpiperf {

/// The coordinate of a point that computes: seconds.
inline constexpr char const* compute_coordinate = "compute";

/// Gives the benchmark the non-blocking relative of the test's collective.
void build_nonblocking(Test const& test, Setting const& setting, measure::Benchmark& row);

/// The same with all neighbours, on communicators that have a topology.
void build_nonblocking_neighbours(Test const& test, Setting const& setting, measure::Benchmark& row);

}  // namespace mpiperf
