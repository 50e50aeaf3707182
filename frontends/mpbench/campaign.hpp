// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: measures all points of a setup, one after another.
#pragma once

#include "bench.hpp"
#include "llcbench/machine.hpp"
#include "options.hpp"
#include "program/runtime/session.hpp"

#include <functional>
#include <memory>

namespace mpbench {

/// Makes the bench once timer and memory are decided. \param resolution  of the timer, on the master
using MakeBench = std::function<std::unique_ptr<Bench>(measure::AnyTimer const& timer, measure::seconds resolution)>;

/// Collective over the session's world.
/// \throws measure::UsageError where a file cannot be written; measure::Interrupted; std::bad_alloc
void measure_all(Setup const& setup, llcbench::Machine const& machine, program::Session& session,
                 MakeBench const& make_bench);

}  // namespace mpbench
