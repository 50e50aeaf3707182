// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the chosen benchmarks, from options to tables and record.
#pragma once

#include "pmb/setup.hpp"
#include "program/runtime/session.hpp"

namespace pmb {

/// Measures what the setup says and writes it. Collective over the world.
/// \throws measure::UsageError before anything is measured
void measure_benchmarks(Options const& options, Setup const& setup, program::Session& session);

}  // namespace pmb
