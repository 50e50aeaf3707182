// SPDX-License-Identifier: BSD-3-Clause
/// Whether MPI may be called: too early or too late it ends the program.
#pragma once

#include <mpi.h>

namespace measure::detail {

/// Between MPI_Init and MPI_Finalize.
[[nodiscard]] inline bool mpi_runs() noexcept {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised != 0 && finalised == 0;
}

}  // namespace measure::detail
