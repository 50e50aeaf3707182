// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: measures all problems of a setup; at each size one library after the other.
#pragma once

#include "blas.hpp"
#include "llcbench/machine.hpp"
#include "options.hpp"
#include "program/runtime/session.hpp"

#include <span>

namespace blasbench {

/// \param libraries  at least one
/// \throws measure::UsageError where a file cannot be written; measure::Interrupted; std::bad_alloc
void measure_all(Setup const& setup, std::span<Blas const> libraries, llcbench::Machine const& machine,
                 program::Session& session);

}  // namespace blasbench
