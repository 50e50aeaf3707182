// SPDX-License-Identifier: BSD-3-Clause
/// The machine's clocks by name.
#pragma once

#include "measure/timer.hpp"

#include <string_view>

namespace measure::detail {

/// The clock of that name (any letter case). Collective over `comm` for tsc, otherwise local.
/// \throws UsageError, on all ranks alike: unknown name, mpi_wtime on `Comm::solo()`, tsc where there is none
[[nodiscard]] AnyTimer clock_from(std::string_view name, Comm const& comm);

}  // namespace measure::detail
