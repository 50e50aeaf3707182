// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: measures the chosen benchmarks and writes tables and record.
#pragma once

#include "pmb/setup.hpp"
#include "program/runtime/session.hpp"

namespace pmb {

/// Measures the benchmarks of the setup and writes the results. Collective over the world.
/// \throws measure::UsageError before the first measurement
void measure_benchmarks(Options const& options, Setup const& setup, program::Session& session);

}  // namespace pmb
