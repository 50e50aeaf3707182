// SPDX-License-Identifier: BSD-3-Clause
/// Finalize drain: messages that ranks on several hosts exchange before MPI_Finalize, so that it does not hang.
///
/// MPICH 4.0 over UCX and TCP: in MPI_Finalize a rank waits for an answer of each rank that it has ever sent something
/// to by the network, and then for the launcher, where it answers nobody any more. A rank that nobody has to answer, or
/// that got its answers from ranks that are not in MPI_Finalize yet, is gone when these ask it.
#pragma once

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <vector>

namespace program {

/// The ranks with whom a rank may have had messages in one direction only: those of trees and rounds of powers of two,
/// and the root, which knows all. Each is the other's partner. Ascending; a pure function.
[[nodiscard]] std::vector<int> drain_partners(int rank, int size);

/// Messages both ways between all partners, so that none can finish without the other.
/// Collective. \return how long all are to keep out of MPI now, so that none enters MPI_Finalize while another is still
/// in this call; 0 on one host and with Open MPI, where nothing is sent
[[nodiscard]] measure::seconds drain_before_finalize(measure::Comm const& world);

}  // namespace program
