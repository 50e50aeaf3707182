// SPDX-License-Identifier: BSD-3-Clause
/// Tests of persistent collectives: a run is start and wait; the time of the setup is reported separately.
#pragma once

#include "mpiperf/catalogue/catalogue.hpp"
#include "mpiperf/operations/operations.hpp"

#include <measure/benchmark.hpp>

namespace mpiperf {

/// Sets up the benchmark with the persistent variant of the test's collective. The record's `init` is the mean setup
/// time over epochs on the slowest rank, in seconds. Each point is first tried: if the MPI library cannot execute the
/// operation twice with correct data, the point is skipped with a warning.
void build_persistent(Test const& test, Setting const& setting, measure::Benchmark& row);

}  // namespace mpiperf
