// SPDX-License-Identifier: BSD-3-Clause
/// Method: translates a setup into a program of the engine. A bench times each loop between two readings, after a
/// barrier.
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

/// Creates the bench when the timer is known. Collective over the world.
/// \param resolution  resolution of the root's timer
using MakeBench = std::function<std::unique_ptr<Bench>(measure::AnyTimer const& timer, measure::seconds resolution)>;

/// State shared by all points of a run.
struct Shared {
    Setup const& setup;
    MakeBench make_bench{};
    std::string damaged{};       ///< name of the test whose data are corrupted, for tests
    measure::TimerInfo timer{};  ///< the root's timer; valid once the run has begun, like the members below
    std::unique_ptr<Bench> bench{};
    Test const* warm = nullptr;         ///< the test that was warmed up last
    bool wrong = false;                 ///< whether the data of the current size are wrong
    std::optional<double> call_time{};  ///< of the last point, in seconds; root only
};

/// The plan of a loop: starts after a barrier and uses the master's time.
[[nodiscard]] measure::Plan plan();

/// All tests of a setup. `shared` must outlive the program.
[[nodiscard]] measure::Program program_of(Shared& shared);

/// Prints the points of a setup.
void list(Setup const& setup, program::Session& session);

/// Measures the tests of a setup and prints them. Collective over the session's world.
/// \param machine  machine of the root
/// \throws measure::UsageError if a file cannot be written; measure::Interrupted; std::bad_alloc
void measure_all(Setup const& setup, Options const& options, llcbench::Machine const& machine,
                 program::Session& session, MakeBench make_bench);

}  // namespace mpbench
