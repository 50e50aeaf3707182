// SPDX-License-Identifier: BSD-3-Clause
/// Whether MPI may be called, because a call too early or too late ends the program; and error texts of MPI.
#pragma once

#include "measure/comm.hpp"
#include "measure/error.hpp"

#include <string>

namespace measure::detail {

/// Whether MPI is initialised and not yet finalised.
[[nodiscard]] inline bool mpi_runs() noexcept {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised != 0 && finalised == 0;
}

/// Check at the start of every collective function. Local.
/// \throws UsageError if MPI is finalised, because the communicator is unusable and MPI would end the program
inline void need_mpi(Comm const& comm) {
    if (!comm.is_solo() && !mpi_runs())
        throw UsageError("MPI is finalised: the communicator can only be freed");
}

/// MPI's text for a return code, on one line. Empty for numbers that are not codes of this MPI, because some libraries
/// end the program for them. MPI must be running.
[[nodiscard]] std::string words_of(int code);

}  // namespace measure::detail
