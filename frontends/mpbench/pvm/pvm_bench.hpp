// SPDX-License-Identifier: BSD-3-Clause
/// PvmBench: runs the tests on the tasks of a PVM program. The master sends orders to the other tasks.
#pragma once

#include "mpbench/bench.hpp"
#include "mpbench/options.hpp"
#include "mpbench/pvm/pvm_tasks.hpp"
#include "program/cli/options.hpp"

#include <measure/timer.hpp>

#include <memory>

namespace mpbench {

/// Creates the bench and prepares the other tasks. \param common  name and seed of the timer
/// \throws std::runtime_error; std::bad_alloc
[[nodiscard]] std::unique_ptr<Bench> make_pvm_bench(PvmTasks const& tasks, Setup const& setup,
                                                    program::CommonOptions const& common,
                                                    measure::AnyTimer const& timer, measure::seconds resolution);

/// Runs a task that the master has started. Its output goes to the daemon's log. \return the exit code
[[nodiscard]] int serve_as_pvm_task();

}  // namespace mpbench
