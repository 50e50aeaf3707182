// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue_parts.hpp"
#include "communicators.hpp"
#include "operations.hpp"

#include <measure/comm.hpp>
#include <measure/sweep.hpp>

#include <cstdint>

namespace mpiperf {

namespace {

/// Measures a step of a halo exchange at every point of the job, whose communicators have a grid. Collective over the
/// world.
measure::SweepResult measure_halo_step(Job const& job) {
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

template <class C>
constexpr Test creation() {
    return {.name = C::name, .text = C::text, .measure = measure_creation<C>};
}

constexpr Test halo_step() {
    return {.name = HaloStep::name,
            .text = HaloStep::text,
            .element = 1,
            .refuse = [](Test const& test, std::int64_t count, int) { bodies::check_counts({}, test.name, count, 1); },
            .measure = measure_halo_step,
            .needs = Needs::grid};
}

constexpr Test topology_table[] = {
    halo_step(),
    creation<CartCreate>(),
    creation<CommDup>(),
    creation<CommSplit>(),
};

}  // namespace

std::span<Test const> topology_tests() noexcept { return topology_table; }

}  // namespace mpiperf
