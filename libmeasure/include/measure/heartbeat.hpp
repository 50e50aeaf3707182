// SPDX-License-Identifier: BSD-3-Clause
/// Heartbeat: a loop tells a watchdog that it makes progress. The loops of the library do so themselves.
#pragma once

#include <algorithm>
#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Tells the watchdog that this process makes progress. A body whose own loop may take longer than the limit of the
/// watchdog calls it in that loop. Local; from any thread; takes about 2 ns.
void alive() noexcept;

namespace detail {

/// How often `alive` was called in this process. Async-signal-safe.
[[nodiscard]] std::uint64_t heartbeats() noexcept;

/// While it exists no beats are expected of this process: it computes alone, or waits until another process has ended
/// its loop. Local.
class Unwatched {
public:
    Unwatched() noexcept;
    ~Unwatched();
    Unwatched(Unwatched const&) = delete;
    Unwatched& operator=(Unwatched const&) = delete;
};
/// Whether there is one. Async-signal-safe.
[[nodiscard]] bool is_unwatched() noexcept;

/// Calls `once()` n times. In a timed region: the beats cost about 0.1 ns per iteration.
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
