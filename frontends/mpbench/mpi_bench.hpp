// SPDX-License-Identifier: BSD-3-Clause
/// MpiBench: the tests on the processes of an MPI program.
#pragma once

#include "bench.hpp"
#include "options.hpp"
#include "program/runtime/session.hpp"

#include <measure/timer.hpp>

#include <memory>

namespace mpbench {

/// Collective over the session's world. All arguments outlive the bench. \throws std::bad_alloc
[[nodiscard]] std::unique_ptr<Bench> make_mpi_bench(Setup const& setup, program::Session& session,
                                                    measure::AnyTimer const& timer, measure::seconds resolution);

}  // namespace mpbench
