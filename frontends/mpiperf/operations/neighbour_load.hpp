// SPDX-License-Identifier: BSD-3-Clause
/// NeighbourLoad: type, arguments and data of a collective with all neighbours at one point.
#pragma once

#include "bodies/datatype.hpp"
#include "bodies/neighbours.hpp"
#include "mpiperf/operations/verification.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace mpiperf {

/// Refuses counts that do not fit MPI's int. Checks on all processes before any other work, because the count may fit
/// on processes with fewer neighbours. Collective. \throws measure::UsageError
inline void check_neighbours(bodies::Shape const& shape, std::string_view name, measure::Comm const& team,
                             std::int64_t count) {
    auto const most = team.max(std::max(bodies::degrees(team).most(), 1));
    bodies::check_counts(shape, name, count, static_cast<int>(most));
}

struct NeighbourLoad {
    /// Collective over the team. \param name  of the call  \param message  bytes of payload per neighbour
    /// \throws measure::UsageError for counts that do not fit MPI's int, and if there is no topology
    NeighbourLoad(bodies::Shape const& shape, std::string_view name, measure::Comm const& team,
                  bodies::TypeLayout const& layout, measure::Bytes message)
        : type{layout, message}, arguments{(check_neighbours(shape, name, team, type.count()),
                                            bodies::neighbour_arguments(
                                                shape, team, type.count(),
                                                {.moved = type.handle(), .moved_extent = type.extent()}))},
          data{neighbour_data(shape, bodies::neighbours(team), team.rank(), type.map(),
                              bodies::neighbour_sizes(shape, type.count(), bodies::degrees(team), type.extent()))} {}

    bodies::Datatype type;
    bodies::NeighbourArguments arguments;
    FixedData data;
};

}  // namespace mpiperf
