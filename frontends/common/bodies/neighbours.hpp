// SPDX-License-Identifier: BSD-3-Clause
/// The neighbourhood collectives of MPI 3, each as a type with its shape and its calls, and the body that measures one.
#pragma once

#include "bodies/buffers.hpp"
#include "bodies/collectives.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/operation.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace bodies {

/// Neighbours of a process by its communicator's topology. At the edge of a grid that is not periodic the missing ones
/// count too: they have their place in the buffers, though nothing is sent there.
struct Degrees {
    int in = 0;   ///< that it receives from
    int out = 0;  ///< that it sends to
    [[nodiscard]] int most() const noexcept { return std::max(in, out); }
};

/// Local. \throws UsageError for a communicator without a topology
[[nodiscard]] inline Degrees degrees(measure::Comm const& comm) {
    int kind = MPI_UNDEFINED;
    measure::check(MPI_Topo_test(comm.raw(), &kind), "MPI_Topo_test");
    Degrees d;
    if (kind == MPI_CART) {
        int dimensions = 0;
        measure::check(MPI_Cartdim_get(comm.raw(), &dimensions), "MPI_Cartdim_get");
        d.in = d.out = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        measure::check(MPI_Graph_neighbors_count(comm.raw(), comm.rank(), &d.in), "MPI_Graph_neighbors_count");
        d.out = d.in;
    } else if (kind == MPI_DIST_GRAPH) {
        int weighted = 0;
        measure::check(MPI_Dist_graph_neighbors_count(comm.raw(), &d.in, &d.out, &weighted),
                       "MPI_Dist_graph_neighbors_count");
    } else {
        throw measure::UsageError("the communicator has no topology, hence no neighbours");
    }
    return d;
}

/// Ranks of the neighbours in the order of their places in the buffers; -1 where one is missing at an edge.
struct Neighbours {
    std::vector<int> in{};
    std::vector<int> out{};
};

/// Local. \throws UsageError for a communicator without a topology
[[nodiscard]] inline Neighbours neighbours(measure::Comm const& comm) {
    auto const d = degrees(comm);
    Neighbours n{std::vector<int>(static_cast<std::size_t>(d.in)), std::vector<int>(static_cast<std::size_t>(d.out))};
    int kind = MPI_UNDEFINED;
    measure::check(MPI_Topo_test(comm.raw(), &kind), "MPI_Topo_test");
    if (kind == MPI_DIST_GRAPH) {
        // Even where they mean nothing, the weights must be given.
        auto in_weights = n.in;
        auto out_weights = n.out;
        measure::check(MPI_Dist_graph_neighbors(comm.raw(), d.in, n.in.data(), in_weights.data(), d.out, n.out.data(),
                                                out_weights.data()),
                       "MPI_Dist_graph_neighbors");
        return n;
    }
    if (kind == MPI_GRAPH)
        measure::check(MPI_Graph_neighbors(comm.raw(), comm.rank(), d.in, n.in.data()), "MPI_Graph_neighbors");
    for (std::size_t i = 0; kind == MPI_CART && i < n.in.size(); i += 2)
        measure::check(MPI_Cart_shift(comm.raw(), static_cast<int>(i / 2), 1, &n.in[i], &n.in[i + 1]),
                       "MPI_Cart_shift");
    std::replace(n.in.begin(), n.in.end(), MPI_PROC_NULL, -1);
    n.out = n.in;
    return n;
}

/// The arguments of a call with all neighbours: as those of a collective, with neighbours in place of processes. The
/// arrays are long enough for the neighbours of either direction.
struct NeighbourArguments : Arguments {
    std::vector<MPI_Aint> offsets{};  ///< the displacements in bytes
};

/// \param shape  "each" is each neighbour; counts are none or equal  \throws UsageError where `check_counts` does
[[nodiscard]] inline NeighbourArguments neighbour_arguments(Shape const& shape, measure::Comm const& comm,
                                                            std::int64_t count, Convention const& convention = {}) {
    NeighbourArguments a{{.comm = comm.raw(),
                          .rank = comm.rank(),
                          .size = comm.size(),
                          .count = measure::to_int(count, "count"),
                          .type = convention.moved}};
    if (shape.counts == Counts::none)
        return a;
    auto const n = static_cast<std::size_t>(degrees(comm).most());
    a.counts.assign(n, a.count);
    a.types.assign(n, a.type);
    for (std::int64_t i = 0; i < std::ssize(a.counts); ++i) {
        a.displacements.push_back(measure::to_int(i * count, "displacement"));
        a.offsets.push_back(static_cast<MPI_Aint>(i * count * convention.moved_extent));
    }
    return a;
}

/// Sizes of one process's buffers. Pure. \param count  elements, >= 0  \param extent  of one, bytes
[[nodiscard]] constexpr Sizes neighbour_sizes(Shape const& shape, std::int64_t count, Degrees d,
                                              measure::Bytes extent = 1) noexcept {
    return {extent * elements(shape.send, count, d.out, false, 0),
            extent * elements(shape.receive, count, d.in, false, 0)};
}

// The calls take a root like the other collectives, and have none.

struct NeighborAllgather {
    static constexpr std::string_view name = "Neighbor_allgather";
    static constexpr std::string_view text = "c bytes of each process to its neighbours";
    static constexpr Shape shape{Extent::one, Extent::each};
    static int call(NeighbourArguments const& a, void* send, void* receive, int) {
        return MPI_Neighbor_allgather(send, a.count, a.type, receive, a.count, a.type, a.comm);
    }
};

struct NeighborAllgatherv {
    static constexpr std::string_view name = "Neighbor_allgatherv";
    static constexpr std::string_view text = "c bytes of each process to its neighbours, packed";
    static constexpr Shape shape{Extent::one, Extent::each, Element::byte, Counts::equal};
    static int call(NeighbourArguments const& a, void* send, void* receive, int) {
        return MPI_Neighbor_allgatherv(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type,
                                       a.comm);
    }
};

struct NeighborAlltoall {
    static constexpr std::string_view name = "Neighbor_alltoall";
    static constexpr std::string_view text = "c bytes for each neighbour";
    static constexpr Shape shape{Extent::each, Extent::each};
    static int call(NeighbourArguments const& a, void* send, void* receive, int) {
        return MPI_Neighbor_alltoall(send, a.count, a.type, receive, a.count, a.type, a.comm);
    }
};

struct NeighborAlltoallv {
    static constexpr std::string_view name = "Neighbor_alltoallv";
    static constexpr std::string_view text = "c bytes for each neighbour, packed";
    static constexpr Shape shape{Extent::each, Extent::each, Element::byte, Counts::equal};
    static int call(NeighbourArguments const& a, void* send, void* receive, int) {
        return MPI_Neighbor_alltoallv(send, a.counts.data(), a.displacements.data(), a.type, receive, a.counts.data(),
                                      a.displacements.data(), a.type, a.comm);
    }
};

struct NeighborAlltoallw {
    static constexpr std::string_view name = "Neighbor_alltoallw";
    static constexpr std::string_view text = "c bytes for each neighbour, packed, MPI_BYTE each";
    static constexpr Shape shape{Extent::each, Extent::each, Element::byte, Counts::equal};
    static int call(NeighbourArguments const& a, void* send, void* receive, int) {
        return MPI_Neighbor_alltoallw(send, a.counts.data(), a.offsets.data(), a.types.data(), receive, a.counts.data(),
                                      a.offsets.data(), a.types.data(), a.comm);
    }
};

// The non-blocking calls give a request; shape and arguments are those of the blocking relative.

struct IneighborAllgather {
    using Blocking = NeighborAllgather;
    static constexpr std::string_view name = "Ineighbor_allgather";
    static int call(NeighbourArguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ineighbor_allgather(send, a.count, a.type, receive, a.count, a.type, a.comm, request);
    }
};

struct IneighborAllgatherv {
    using Blocking = NeighborAllgatherv;
    static constexpr std::string_view name = "Ineighbor_allgatherv";
    static int call(NeighbourArguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ineighbor_allgatherv(send, a.count, a.type, receive, a.counts.data(), a.displacements.data(), a.type,
                                        a.comm, request);
    }
};

struct IneighborAlltoall {
    using Blocking = NeighborAlltoall;
    static constexpr std::string_view name = "Ineighbor_alltoall";
    static int call(NeighbourArguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ineighbor_alltoall(send, a.count, a.type, receive, a.count, a.type, a.comm, request);
    }
};

struct IneighborAlltoallv {
    using Blocking = NeighborAlltoallv;
    static constexpr std::string_view name = "Ineighbor_alltoallv";
    static int call(NeighbourArguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ineighbor_alltoallv(send, a.counts.data(), a.displacements.data(), a.type, receive, a.counts.data(),
                                       a.displacements.data(), a.type, a.comm, request);
    }
};

struct IneighborAlltoallw {
    using Blocking = NeighborAlltoallw;
    static constexpr std::string_view name = "Ineighbor_alltoallw";
    static int call(NeighbourArguments const& a, void* send, void* receive, int, MPI_Request* request) {
        return MPI_Ineighbor_alltoallw(send, a.counts.data(), a.offsets.data(), a.types.data(), receive,
                                       a.counts.data(), a.offsets.data(), a.types.data(), a.comm, request);
    }
};

/// The body: one call of C per iteration. False where MPI reports an error. It must not outlive the communicator.
template <class C, class Memory = Buffers>
class Neighbourhood {
public:
    Neighbourhood(NeighbourArguments arguments, Memory memory)
        : arguments_{std::move(arguments)}, memory_{std::move(memory)} {}

    bool operator()(measure::Iteration it) const noexcept {
        return C::call(arguments_, memory_.send(it), memory_.receive(it), 0) == MPI_SUCCESS;
    }

    [[nodiscard]] Memory const& memory() const noexcept { return memory_; }

private:
    NeighbourArguments arguments_;
    Memory memory_;
};

}  // namespace bodies
