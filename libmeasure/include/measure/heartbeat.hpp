// SPDX-License-Identifier: BSD-3-Clause
/// Heartbeat: tells the watchdog that a loop makes progress. The loops of the library call it themselves.
#pragma once

#include <algorithm>
#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Tells the watchdog that this process makes progress. A body must call it in its own loop if this loop may take
/// longer than the limit of the watchdog. Local, from any thread. Takes about 2 ns.
void alive() noexcept;

namespace detail {

/// Number of calls of `alive` in this process. Async-signal-safe.
[[nodiscard]] std::uint64_t heartbeats() noexcept;

/// While an object exists, the watchdog expects no heartbeats from this process, because it computes alone or waits
/// until another process ends its loop. Local.
class Unwatched {
public:
    Unwatched() noexcept;
    ~Unwatched();
    Unwatched(Unwatched const&) = delete;
    Unwatched& operator=(Unwatched const&) = delete;
};
/// Whether an `Unwatched` exists. Async-signal-safe.
[[nodiscard]] bool is_unwatched() noexcept;

/// Calls `once()` n times, with a heartbeat after every 16 calls. This costs about 0.1 ns per iteration of a timed
/// region.
template <class F>
[[gnu::always_inline]] inline void beating(std::int64_t n, F&& once) {
    constexpr std::int64_t beat = 16;
    while (n > 0) {
        for (std::int64_t i = std::min(n, beat); i > 0; --i)
            once();
        n -= beat;
        if (n > 0)
            alive();
    }
}

}  // namespace detail
}  // namespace measure
#pragma GCC visibility pop
