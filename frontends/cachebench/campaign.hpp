// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: measures all points of a setup, one after another.
#pragma once

#include "llcbench/machine.hpp"
#include "options.hpp"
#include "program/runtime/session.hpp"

namespace cachebench {

/// \throws measure::UsageError where a file cannot be written; measure::Interrupted; std::bad_alloc
void measure_all(Setup const& setup, llcbench::Machine const& machine, program::Session& session);

}  // namespace cachebench
