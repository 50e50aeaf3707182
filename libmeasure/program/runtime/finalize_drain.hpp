// SPDX-License-Identifier: BSD-3-Clause
/// Finalize drain: ranks on several hosts exchange messages before MPI_Finalize, so that it does not hang.
///
/// In MPICH 4.0 over UCX and TCP, a rank in MPI_Finalize first waits for an answer of each rank to which it has ever
/// sent a message over the network. Then it waits for the launcher and answers no more requests. A rank that needs no
/// answers, or got them early, reaches that state before other ranks ask it, and these hang.
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <vector>

namespace program {

/// The ranks to or from which a rank may have had messages in one direction only: partners in trees and in rounds of
/// powers of two, and the root, which is a partner of all ranks. The relation is symmetric. Ascending. Pure.
[[nodiscard]] std::vector<int> drain_partners(int rank, int size);

/// Sends messages in both directions between all partners, so that neither can finish without the other. Collective.
/// \return time for which all ranks must not call MPI, so that no rank enters MPI_Finalize while another is still in
///         this call; 0 on a single host and with Open MPI, where no messages are sent
[[nodiscard]] measure::seconds drain_before_finalize(measure::Comm const& world);

}  // namespace program
