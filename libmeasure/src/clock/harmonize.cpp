// SPDX-License-Identifier: BSD-3-Clause
#include "measure/harmonize.hpp"

#include "clock/wait_until.hpp"
#include "core/mpi_state.hpp"
#include "measure/schedule.hpp"

namespace measure {

namespace {

constexpr double harmonize_factor = 1.5;

}  // namespace

Harmony harmonize(Comm const& comm, GlobalClock const& clock, std::optional<seconds> ahead) {
    detail::need_mpi(comm);
    if (!ahead)
        ahead = broadcast_bound(comm, harmonize_factor, seconds{clock.report().bound.value_or(0)});
    Harmony result{.start = clock.now() + *ahead};
    comm.broadcast(result.start);
    auto const arrival = detail::wait_for(clock, result.start, *ahead, comm.oversubscribed() ? ahead : std::nullopt);
    result.lateness = arrival.lateness;
    result.in_time = arrival.in_time;
    return result;
}

}  // namespace measure
