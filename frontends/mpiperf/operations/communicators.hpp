// SPDX-License-Identifier: BSD-3-Clause
/// Communicators: the calls that make them, each as a type with its call, and the body that measures one; a step of a
/// halo exchange on a grid.
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

/// The arguments that stay the same from iteration to iteration. Those of a grid are its own where the communicator has
/// one, otherwise those of a grid that is chosen for it.
struct CreationArguments {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int reorder = 0;
    std::vector<int> sizes{};  ///< by dimension
    std::vector<int> periods{};
};

/// Local. \throws measure::MpiError
[[nodiscard]] CreationArguments creation_arguments(measure::Comm const& comm, bool reorder);

struct CartCreate {
    static constexpr std::string_view name = "Cart_create";
    static constexpr std::string_view text = "a grid as --topology says; the count is ignored";
    static int call(CreationArguments const& a, MPI_Comm* made) {
        return MPI_Cart_create(a.comm, static_cast<int>(a.sizes.size()), a.sizes.data(), a.periods.data(), a.reorder,
                               made);
    }
};

struct CommDup {
    static constexpr std::string_view name = "Comm_dup";
    static constexpr std::string_view text = "the count is ignored";
    static int call(CreationArguments const& a, MPI_Comm* made) { return MPI_Comm_dup(a.comm, made); }
};

struct CommSplit {
    static constexpr std::string_view name = "Comm_split";
    static constexpr std::string_view text = "into even and odd ranks; the count is ignored";
    static int call(CreationArguments const& a, MPI_Comm* made) {
        return MPI_Comm_split(a.comm, a.rank % 2, a.rank, made);
    }
};

/// The body: makes a communicator, and frees it after the timed region. False where MPI reports an error.
template <class C>
class Creation {
public:
    explicit Creation(CreationArguments arguments) : arguments_{std::move(arguments)} {}

    bool operator()(auto& lap) const noexcept {
        MPI_Comm made = MPI_COMM_NULL;
        bool const ok = C::call(arguments_, &made) == MPI_SUCCESS;
        lap.end();
        return ok && MPI_Comm_free(&made) == MPI_SUCCESS;
    }

private:
    CreationArguments arguments_;
};

/// The body of a step of a halo exchange: who the neighbours in the first dimension are, and c bytes from one to the
/// other. False where MPI reports an error.
class HaloStep {
public:
    static constexpr std::string_view name = "Cart_shift+Sendrecv";
    static constexpr std::string_view text = "c bytes to the next in the first dimension of a grid";

    /// Local. \param count  bytes, >= 0  \throws std::bad_alloc; measure::UsageError for a count that does not fit int
    HaloStep(measure::Comm const& comm, std::int64_t count, bodies::BufferPolicy const& policy);

    bool operator()(measure::Iteration it) const noexcept;

private:
    MPI_Comm comm_;
    int count_;
    bodies::Buffers memory_;
};

}  // namespace mpiperf
