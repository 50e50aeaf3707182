// SPDX-License-Identifier: BSD-3-Clause
/// Waiting for an instant of the root's clock: what `harmonize` and `WindowSync` have in common. Local.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/schedule.hpp"

#include <sched.h>

#include <algorithm>

namespace measure::detail {

/// How a rank left its wait.
struct Arrival {
    seconds lateness{};  ///< after the instant, by its own clock; negative: it did not wait
    bool in_time = false;
};

/// Waits until the instant. A rank whose clock puts it further away than `at_most` and `disagreement` does not wait:
/// the clocks disagree. \param slack  with more ranks than cores: so late is in time still, and the wait yields; else
/// nothing
inline Arrival wait_for(GlobalClock const& clock, seconds instant, seconds at_most, std::optional<seconds> slack) {
    return clock.timer().visit([&](auto const& timer) {
        auto const start = clock.local_stamp(timer, instant);
        auto now = timer.now();
        bool const impossible = timer.between(now, start) > at_most + disagreement;
        while (!impossible && now < start) {
            if (slack)
                sched_yield();
            now = timer.now();
        }
        Arrival arrival{.lateness = timer.between(start, now)};
        auto const tolerance = std::max(slot_tolerance(seconds{0}, timer.resolution()), slack.value_or(seconds{0}));
        arrival.in_time = !impossible && clock.synchronised() && arrival.lateness <= tolerance;
        return arrival;
    });
}

}  // namespace measure::detail
