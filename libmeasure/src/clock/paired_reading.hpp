// SPDX-License-Identifier: BSD-3-Clause
/// One instant on two clocks, used to determine rates.
#pragma once

#include "measure/timer.hpp"

#include <cstdint>

namespace measure::detail {

template <class Stamp>
struct Instant {
    Stamp stamp;          ///< reading of the timer
    std::int64_t raw_ns;  ///< reading of CLOCK_MONOTONIC_RAW, in ns
};

/// Reads CLOCK_MONOTONIC_RAW between two readings of the timer, and assigns it to their midpoint. Uses the narrowest of
/// 20 tries: single readings that are not bracketed bias a rate by 1 ppm over 20 ms.
template <Timer T>
[[nodiscard]] Instant<typename T::stamp> bracketed_instant(T const& timer) noexcept {
    auto const attempt = [&timer](auto& width) {
        auto const before = timer.now();
        auto const raw_ns = clock_nanoseconds(CLOCK_MONOTONIC_RAW);
        auto const after = timer.now();
        width = after - before;
        return Instant<typename T::stamp>{before + (after - before) / 2, raw_ns};
    };
    typename T::stamp narrowest{};
    auto best = attempt(narrowest);
    for (int k = 1; k < 20; ++k) {
        typename T::stamp width{};
        auto const instant = attempt(width);
        if (width < narrowest) {
            narrowest = width;
            best = instant;
        }
    }
    return best;
}

}  // namespace measure::detail
