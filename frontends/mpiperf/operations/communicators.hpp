// SPDX-License-Identifier: BSD-3-Clause
/// Communicators: bodies for calls that create a communicator and for a step of a halo exchange on a grid.
#pragma once

#include "bodies/buffers.hpp"
#include "mpiperf/operations/topology.hpp"

#include <measure/comm.hpp>
#include <measure/operation.hpp>

#include <mpi.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace mpiperf {

/// The arguments that do not change between iterations. The grid is that of the communicator if it has one, otherwise
/// a suitable grid is chosen.
struct CreationArguments {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int reorder = 0;
    std::vector<int> sizes{};  ///< [dimensions]
    std::vector<int> periods{};
};

/// Local. \throws measure::MpiError
[[nodiscard]] CreationArguments creation_arguments(measure::Comm const& comm, bool reorder);

/// The body: creates a communicator and frees it after the timed region. Returns false if MPI reports an error.
/// \tparam make  (CreationArguments const&, MPI_Comm*) -> MPI's code
template <auto make>
class Creation {
public:
    explicit Creation(CreationArguments arguments) : arguments_{std::move(arguments)} {}

    bool operator()(auto& lap) const noexcept {
        MPI_Comm made = MPI_COMM_NULL;
        bool const ok = make(arguments_, &made) == MPI_SUCCESS;
        lap.end();
        return ok && MPI_Comm_free(&made) == MPI_SUCCESS;
    }

private:
    CreationArguments arguments_;
};

/// The body of a halo exchange step: finds the neighbours in the first dimension and moves c bytes from one to the
/// other. Returns false if MPI reports an error.
class HaloStep {
public:
    static constexpr std::string_view name = "Cart_shift+Sendrecv";
    static constexpr std::string_view text = "c bytes to the next process in the first dimension of a grid";

    /// Local. \param count  bytes, >= 0  \throws std::bad_alloc; measure::UsageError for a count that does not fit int
    HaloStep(measure::Comm const& comm, std::int64_t count, bodies::BufferPolicy const& policy);

    bool operator()(measure::Iteration it) const noexcept;

private:
    MPI_Comm comm_;
    int count_;
    bodies::Buffers memory_;
};

}  // namespace mpiperf
