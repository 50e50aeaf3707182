// SPDX-License-Identifier: BSD-3-Clause
/// Startup: what is measured before anything else runs.
#pragma once

#include "catalogue.hpp"
#include "program/runtime/session.hpp"

#include <measure/units.hpp>

namespace osu {

/// Calls MPI_Init. \return how long it took
[[nodiscard]] measure::seconds initialise(int& argc, char**& argv);

/// The whole of osu_hello and osu_init. Collective. \param init  this rank's
void report_startup(Row const& row, measure::seconds init, program::Session& session);

}  // namespace osu
