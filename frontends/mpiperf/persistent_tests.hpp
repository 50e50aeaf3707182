// SPDX-License-Identifier: BSD-3-Clause
/// Tests of persistent collectives: start and wait are the run; what the setup takes stands beside it.
#pragma once

#include "bodies/persistent.hpp"
#include "operations.hpp"

#include <measure/sweep.hpp>

namespace mpiperf {

/// Measures the persistent relative of the job's collective at every point. The record's `init` is the time of the
/// setup on the slowest rank, seconds, the mean over epochs. Collective over the world. A point at which the MPI
/// library cannot execute the operation twice, with the right data, is left out with a warning; that is tried before
/// each.
measure::SweepResult measure_persistent(Job const& job);

}  // namespace mpiperf
