// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/teams.hpp"

#include <measure/mpi_error.hpp>

#include <mpi.h>

#include <algorithm>

namespace b_eff {

namespace {

/// The first processes as a grid, which the MPI library may reorder; nothing on other processes.
std::optional<measure::Comm> topology(measure::Comm const& world, std::span<int const> extents) {
    std::array<int, 3> const periods{1, 1, 1};
    MPI_Comm raw = MPI_COMM_NULL;
    measure::check(
        MPI_Cart_create(world.native(), static_cast<int>(extents.size()), extents.data(), periods.data(), 1, &raw),
        "MPI_Cart_create");
    if (raw == MPI_COMM_NULL)
        return std::nullopt;
    std::optional<measure::Comm> team{measure::Comm{raw}};
    MPI_Comm_free(&raw);
    return team;
}

std::optional<measure::Comm> make(measure::Comm const& world, Pattern const& p) {
    switch (p.team) {
    case Team::line:
        return topology(world, std::array{p.processes});
    case Team::plane:
    case Team::space:
        return topology(world, std::span{p.grid.extents}.first(static_cast<std::size_t>(p.grid.dimensions)));
    case Team::world:
        return world.duplicate();
    default:
        return world.first_ranks(p.processes);
    }
}

}  // namespace

Teams::Teams(measure::Comm const& world, std::span<Pattern const> patterns) {
    for (std::size_t t = 0; t < team_count; ++t) {
        auto const found = std::find_if(patterns.begin(), patterns.end(),
                                        [&](Pattern const& p) { return static_cast<std::size_t>(p.team) == t; });
        if (found != patterns.end())
            comms_[t] = make(world, *found);
    }
}

void Teams::synchronise(measure::AnyTimer const& timer) {
    for (std::size_t t = 0; t < team_count; ++t)
        if (comms_[t])
            clocks_[t] = clocks_[t] ? measure::synchronise(*comms_[t], timer, measure::LinearSync{}, *clocks_[t])
                                    : measure::synchronise(*comms_[t], timer);
}

}  // namespace b_eff
