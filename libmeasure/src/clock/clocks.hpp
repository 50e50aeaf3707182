// SPDX-License-Identifier: BSD-3-Clause
/// Clocks of the machine, by name.
#pragma once

#include "measure/timer.hpp"

#include <string_view>

namespace measure::detail {

/// The clock of that name (case-insensitive). Collective over `comm` for tsc, otherwise local.
/// \throws UsageError, on all ranks: unknown name, mpi_wtime on `Comm::solo()`, tsc if there is none
[[nodiscard]] AnyTimer clock_from(std::string_view name, Comm const& comm);

}  // namespace measure::detail
