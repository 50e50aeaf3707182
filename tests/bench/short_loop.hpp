// SPDX-License-Identifier: BSD-3-Clause
/// Short loop: what one iteration takes, in loops that are shorter than the time that a core is lent to a program.
#pragma once

#include "measure/timer.hpp"

namespace bench {

/// Nanoseconds per iteration.
template <class Body>
double loop(Body body) {
    constexpr int iterations = 10'000;
    measure::MonotonicRawTimer const timer;
    auto const begin = timer.now();
    for (int i = 0; i < iterations; ++i)
        body();
    return timer.between(begin, timer.now()).count() / iterations * 1e9;
}

}  // namespace bench
