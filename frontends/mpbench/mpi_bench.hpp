// SPDX-License-Identifier: BSD-3-Clause
/// MpiBench: runs the tests on the processes of an MPI program.
#pragma once

#include "mpbench/bench.hpp"
#include "mpbench/options.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <memory>

namespace mpbench {

/// Collective over the world. All arguments must outlive the bench.
/// \param resolution  resolution of the root's timer  \throws std::bad_alloc
[[nodiscard]] std::unique_ptr<Bench> make_mpi_bench(Setup const& setup, measure::Comm const& world,
                                                    measure::seconds resolution);

}  // namespace mpbench
