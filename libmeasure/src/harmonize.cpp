// SPDX-License-Identifier: BSD-3-Clause
#include "measure/harmonize.hpp"

#include "measure/schedule.hpp"

#include <sched.h>

#include <algorithm>

namespace measure {

namespace {

constexpr double broadcast_factor = 1.5;

}  // namespace

Harmony harmonize(Comm const& comm, GlobalClock const& clock, std::optional<seconds> ahead) {
    if (!ahead)
        ahead = broadcast_bound(comm, broadcast_factor, seconds{clock.report().bound.value_or(0)});
    Harmony result{.start = clock.now() + *ahead};
    comm.broadcast(result.start);
    clock.timer().visit([&](auto const& timer) {
        auto const start = clock.local_stamp(timer, result.start);
        auto now = timer.now();
        bool const impossible = timer.between(now, start) > *ahead + detail::disagreement;
        while (!impossible && now < start) {
            if (comm.oversubscribed())
                sched_yield();
            now = timer.now();
        }
        result.lateness = timer.between(start, now);
        auto tolerance = slot_tolerance(seconds{0}, timer.resolution());
        if (comm.oversubscribed())
            tolerance = std::max(tolerance, *ahead);
        result.in_time = !impossible && clock.synchronised() && result.lateness <= tolerance;
    });
    return result;
}

}  // namespace measure
