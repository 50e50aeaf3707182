// SPDX-License-Identifier: BSD-3-Clause
/// Waits for an instant of the root's clock, for `harmonize` and `WindowSync`. Local.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/schedule.hpp"

#include <sched.h>

#include <algorithm>

namespace measure::detail {

/// Result of a wait.
struct Arrival {
    seconds lateness{};  ///< time after the instant, by the rank's own clock; negative: it did not wait
    bool in_time = false;
};

/// Spins until the stamp; stops if the clock goes backwards. \return the last reading
template <Timer T>
[[nodiscard]] typename T::stamp spin_until(T const& timer, typename T::stamp end, bool yields) {
    auto const first = timer.now();
    auto now = first;
    while (now < end && !(now < first)) {
        if (yields)
            sched_yield();
        now = timer.now();
    }
    return now;
}

/// Waits until the instant. Does not wait if the instant is farther away than `at_most` plus `disagreement` by this
/// rank's clock, because then the clocks disagree. \param slack  set if there are more ranks than cores: the wait
/// yields, and a rank this late is still in time
inline Arrival wait_for(GlobalClock const& clock, seconds instant, seconds at_most, std::optional<seconds> slack) {
    return clock.timer().visit([&](auto const& timer) {
        auto const start = clock.local_stamp(timer, instant);
        auto now = timer.now();
        bool const impossible = timer.between(now, start) > at_most + disagreement;
        if (!impossible && now < start)
            now = spin_until(timer, start, slack.has_value());
        Arrival arrival{.lateness = timer.between(start, now)};
        auto const tolerance = std::max(slot_tolerance(seconds{0}, clock.step()), slack.value_or(seconds{0}));
        arrival.in_time = !impossible && !(now < start) && clock.synchronised() && arrival.lateness <= tolerance;
        return arrival;
    });
}

}  // namespace measure::detail
