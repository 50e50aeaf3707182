// SPDX-License-Identifier: BSD-3-Clause
/// One instant on two clocks: what rates are determined from.
#pragma once

#include "measure/timer.hpp"

#include <cstdint>

namespace measure::detail {

template <class Stamp>
struct Instant {
    Stamp stamp;          ///< on the timer
    std::int64_t raw_ns;  ///< on CLOCK_MONOTONIC_RAW
};

/// A reading of CLOCK_MONOTONIC_RAW between two readings of the timer, which is taken to have shown their midpoint. The
/// narrowest of 20 tries counts: single readings that are not bracketed bias a rate by 1 ppm over 20 ms.
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
