// SPDX-License-Identifier: BSD-3-Clause
/// Tests of persistent collectives: start and wait are the run; what the setup takes stands beside it.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>

namespace mpiperf {

/// Gives the benchmark the persistent relative of the test's collective. The record's `init` is the time of the setup
/// on the slowest rank, seconds, the mean over epochs. A point at which the MPI library cannot execute the operation
/// twice, with the right data, is left out with a warning; that is tried before each.
void build_persistent(Test const& test, Setting const& setting, measure::Benchmark& row);

}  // namespace mpiperf
