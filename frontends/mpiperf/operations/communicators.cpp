// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/communicators.hpp"

#include <measure/mpi_error.hpp>

namespace mpiperf {

CreationArguments creation_arguments(measure::Comm const& comm, bool reorder) {
    CreationArguments a{.comm = comm.native(), .rank = comm.rank(), .reorder = reorder};
    int kind = MPI_UNDEFINED;
    measure::check(MPI_Topo_test(comm.native(), &kind), "MPI_Topo_test");
    if (kind != MPI_CART) {
        a.sizes = dimensions(Grid{}, comm.size());
        a.periods.assign(a.sizes.size(), 1);
        return a;
    }
    int dims = 0;
    measure::check(MPI_Cartdim_get(comm.native(), &dims), "MPI_Cartdim_get");
    a.sizes.resize(static_cast<std::size_t>(dims));
    a.periods.resize(a.sizes.size());
    std::vector<int> coordinates(a.sizes.size());
    measure::check(MPI_Cart_get(comm.native(), dims, a.sizes.data(), a.periods.data(), coordinates.data()),
                   "MPI_Cart_get");
    return a;
}

HaloStep::HaloStep(measure::Comm const& comm, std::int64_t count, bodies::BufferPolicy const& policy)
    : comm_{comm.native()}, count_{measure::to_int(count, "count")}, memory_{policy,
                                                                             {.send = count, .receive = count}} {}

bool HaloStep::operator()(measure::Iteration it) const noexcept {
    constexpr int tag = 1;
    int from = MPI_PROC_NULL;
    int to = MPI_PROC_NULL;
    if (MPI_Cart_shift(comm_, 0, 1, &from, &to) != MPI_SUCCESS)
        return false;
    return MPI_Sendrecv(memory_.send(it), count_, MPI_BYTE, to, tag, memory_.receive(it), count_, MPI_BYTE, from, tag,
                        comm_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

}  // namespace mpiperf
