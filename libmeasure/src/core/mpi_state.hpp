// SPDX-License-Identifier: BSD-3-Clause
/// Whether MPI may be called: too early or too late it ends the program. And what it says of its codes.
#pragma once

#include "measure/comm.hpp"
#include "measure/error.hpp"

#include <string>

namespace measure::detail {

/// Between MPI_Init and MPI_Finalize.
[[nodiscard]] inline bool mpi_runs() noexcept {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised != 0 && finalised == 0;
}

/// What every collective function asks first. Local.
/// \throws UsageError where MPI has ended, and the communicator cannot work any more: MPI would end the program
inline void need_mpi(Comm const& comm) {
    if (!comm.is_solo() && !mpi_runs())
        throw UsageError("MPI is finalised: the communicator can only be freed");
}

/// MPI's own words for a return code, on one line; nothing for a number that is no code of this MPI, which some
/// libraries answer by ending the program. MPI runs.
[[nodiscard]] std::string words_of(int code);

}  // namespace measure::detail
