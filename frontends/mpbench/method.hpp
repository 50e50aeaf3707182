// SPDX-License-Identifier: BSD-3-Clause
/// Method: what a setup measures, as the engine has it: a loop between two readings behind a barrier, by a bench.
#pragma once

#include "llcbench/machine.hpp"
#include "mpbench/bench.hpp"
#include "mpbench/options.hpp"
#include "program/runtime/session.hpp"

#include <measure/main.hpp>
#include <measure/timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mpbench {

/// Makes the bench once the timer is known. Collective over the world. \param resolution  of the timer, on the root
using MakeBench = std::function<std::unique_ptr<Bench>(measure::AnyTimer const& timer, measure::seconds resolution)>;

/// What the points of a run share.
struct Shared {
    Setup const& setup;
    MakeBench make_bench{};
    std::string damaged{};       ///< name of the test whose data are spoilt, for tests
    measure::TimerInfo timer{};  ///< what the timer is worth, on the root, once the run has begun, as all that follows
    std::unique_ptr<Bench> bench{};
    Test const* warm = nullptr;         ///< the test that was warmed up last
    bool wrong = false;                 ///< the data of the size that is measured
    std::optional<double> call_time{};  ///< of the point that was measured last; root only
};

/// The plan of a loop: barrier, then the master's time counts.
[[nodiscard]] measure::Plan plan();

/// The tests of a setup. `shared` outlives what is returned.
[[nodiscard]] measure::Program program_of(Shared& shared);

/// Prints the points of a setup.
void list(Setup const& setup, program::Session& session);

/// Measures the tests of a setup and prints them. Collective over the session's world.
/// \param machine  the root's  \throws measure::UsageError where a file cannot be written; measure::Interrupted;
///         std::bad_alloc
void measure_all(Setup const& setup, Options const& options, llcbench::Machine const& machine,
                 program::Session& session, MakeBench make_bench);

}  // namespace mpbench
