// SPDX-License-Identifier: BSD-3-Clause
/// Campaign: the whole run of `measure pairs`: who takes part, tournaments, confirmation.
#pragma once

#include "pairs/result.hpp"
#include "program/runtime/session.hpp"

namespace measure_tool::pairs {

/// Says who takes part and what meets whom, and measures nothing. Collective.
void list(Options const& options, program::Session& session);

/// Collective. \param result  filled as far as the run came, also where it throws measure::Interrupted
/// \throws measure::UsageError where fewer than two take part
void measure_pairs(Options const& options, program::Session& session, Result& result);

}  // namespace measure_tool::pairs
