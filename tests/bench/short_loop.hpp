// SPDX-License-Identifier: BSD-3-Clause
/// Short loop: the time of an iteration, in a loop that is shorter than a time slice of the scheduler.
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
