// SPDX-License-Identifier: BSD-3-Clause
/// Neighbours: the neighbours of a process in its communicator's topology, and the arguments of MPI 3's neighbourhood
/// collectives.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/buffers.hpp"

#include <measure/comm.hpp>
#include <measure/error.hpp>
#include <measure/mpi_error.hpp>
#include <measure/units.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bodies {

/// Numbers of neighbours of a process in its communicator's topology. Missing neighbours at the edge of a grid that is
/// not periodic count too: they have a place in the buffers, although no data are sent to them.
struct Degrees {
    int in = 0;   ///< neighbours from which it receives
    int out = 0;  ///< neighbours to which it sends
    [[nodiscard]] int most() const noexcept { return std::max(in, out); }
};

/// Local. \throws UsageError for a communicator without a topology
[[nodiscard]] inline Degrees degrees(measure::Comm const& comm) {
    int kind = MPI_UNDEFINED;
    measure::check(MPI_Topo_test(comm.native(), &kind), "MPI_Topo_test");
    Degrees d;
    if (kind == MPI_CART) {
        int dimensions = 0;
        measure::check(MPI_Cartdim_get(comm.native(), &dimensions), "MPI_Cartdim_get");
        d.in = d.out = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        measure::check(MPI_Graph_neighbors_count(comm.native(), comm.rank(), &d.in), "MPI_Graph_neighbors_count");
        d.out = d.in;
    } else if (kind == MPI_DIST_GRAPH) {
        int weighted = 0;
        measure::check(MPI_Dist_graph_neighbors_count(comm.native(), &d.in, &d.out, &weighted),
                       "MPI_Dist_graph_neighbors_count");
    } else {
        throw measure::UsageError("the communicator has no topology and therefore no neighbours");
    }
    return d;
}

/// Ranks of the neighbours in the order of their places in the buffers; -1 for a missing neighbour at an edge.
struct Neighbours {
    std::vector<int> in{};
    std::vector<int> out{};
};

/// Local. \throws UsageError for a communicator without a topology
[[nodiscard]] inline Neighbours neighbours(measure::Comm const& comm) {
    auto const d = degrees(comm);
    Neighbours n{std::vector<int>(static_cast<std::size_t>(d.in)), std::vector<int>(static_cast<std::size_t>(d.out))};
    int kind = MPI_UNDEFINED;
    measure::check(MPI_Topo_test(comm.native(), &kind), "MPI_Topo_test");
    if (kind == MPI_DIST_GRAPH) {
        // MPI requires the weight arrays even if they are not used.
        auto in_weights = n.in;
        auto out_weights = n.out;
        measure::check(MPI_Dist_graph_neighbors(comm.native(), d.in, n.in.data(), in_weights.data(), d.out,
                                                n.out.data(), out_weights.data()),
                       "MPI_Dist_graph_neighbors");
        return n;
    }
    if (kind == MPI_GRAPH)
        measure::check(MPI_Graph_neighbors(comm.native(), comm.rank(), d.in, n.in.data()), "MPI_Graph_neighbors");
    for (std::size_t i = 0; kind == MPI_CART && i < n.in.size(); i += 2)
        measure::check(MPI_Cart_shift(comm.native(), static_cast<int>(i / 2), 1, &n.in[i], &n.in[i + 1]),
                       "MPI_Cart_shift");
    std::replace(n.in.begin(), n.in.end(), MPI_PROC_NULL, -1);
    n.out = n.in;
    return n;
}

/// The arguments of a call with all neighbours. The arrays are long enough for either direction.
/// \param shape  "each" is each neighbour; counts are none, equal or typed  \throws UsageError for a number that does
/// not fit the arguments' type
[[nodiscard]] inline NeighbourArguments neighbour_arguments(Shape const& shape, measure::Comm const& comm,
                                                            std::int64_t count, Convention const& convention = {}) {
    return arguments_of_parts<NeighbourArguments>(shape, comm, count, convention, degrees(comm).most());
}

/// Buffer sizes of a process. Pure. \param count  elements, >= 0  \param extent  bytes of an element
[[nodiscard]] constexpr Sizes neighbour_sizes(Shape const& shape, std::int64_t count, Degrees d,
                                              measure::Bytes extent = 1) noexcept {
    return {extent * elements(shape.send, count, d.out, false, 0),
            extent * elements(shape.receive, count, d.in, false, 0)};
}

}  // namespace bodies
