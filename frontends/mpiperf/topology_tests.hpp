// SPDX-License-Identifier: BSD-3-Clause
/// Tests of topologies and communicators: the sweeps that measure them.
#pragma once

#include "bodies/neighbours.hpp"
#include "communicators.hpp"
#include "neighbour_load.hpp"
#include "operations.hpp"

#include <measure/comm.hpp>
#include <measure/record.hpp>
#include <measure/sweep.hpp>

#include <utility>

namespace mpiperf {

/// Measures the neighbourhood collective C at every point of the job, whose communicators have a topology. Collective
/// over the world.
template <class C>
measure::SweepResult measure_neighbourhood(Job const& job) {
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const& at) {
        NeighbourLoad load{C::shape, C::name, team, layout_at(at), at.integer("count")};
        bodies::Buffers buffers{place(job, team, load.data.sizes), load.data.sizes};
        return Verified{bodies::Neighbourhood<C>{std::move(load.arguments), std::move(buffers)}, std::move(load.type),
                        std::move(load.data)};
    });
}

/// Measures a step of a halo exchange at every point of the job, whose communicators have a grid. Collective over the
/// world.
inline measure::SweepResult measure_halo_step(Job const& job) {
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const& at) {
        auto const count = at.integer("count");
        return HaloStep{team, count, place(job, team, {.send = count, .receive = count})};
    });
}

/// Measures how long the communicators of C take to be made. Collective over the world.
template <class C>
measure::SweepResult measure_creation(Job const& job) {
    return detail::sweep(job, [&](measure::Comm const& team, measure::Point const&) {
        return Creation<C>{creation_arguments(team, job.reorder)};
    });
}

}  // namespace mpiperf
