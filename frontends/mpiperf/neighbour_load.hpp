// SPDX-License-Identifier: BSD-3-Clause
/// NeighbourLoad: type, arguments and data of a collective with all neighbours at one point.
#pragma once

#include "bodies/datatype.hpp"
#include "bodies/neighbours.hpp"
#include "verification.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

namespace mpiperf {

struct NeighbourLoad {
    /// Local. \param message  bytes of payload for a neighbour
    /// \throws measure::UsageError for numbers that do not fit MPI's int, and without a topology
    NeighbourLoad(bodies::Shape const& shape, measure::Comm const& team, bodies::TypeLayout const& layout,
                  measure::Bytes message)
        : type{layout, message}, arguments{bodies::neighbour_arguments(
                                     shape, team, type.count(),
                                     {.moved = type.handle(), .moved_extent = type.extent()})},
          data{neighbour_data(shape, bodies::neighbours(team), team.rank(), type.map(),
                              bodies::neighbour_sizes(shape, type.count(), bodies::degrees(team), type.extent()))} {}

    bodies::Datatype type;
    bodies::NeighbourArguments arguments;
    FixedData data;
};

}  // namespace mpiperf
