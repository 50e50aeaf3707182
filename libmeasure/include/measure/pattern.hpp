// SPDX-License-Identifier: BSD-3-Clause
/// Patterns: plans for the usual ways to measure. Any member of a returned plan may be changed.
#pragma once

#include "measure/plan.hpp"

#pragma GCC visibility push(default)
/// Plans for the usual ways to measure.
namespace measure::pattern {

/// Collectives with synchronised start times: slots on the global clock, time of the slowest rank (MPIPerf paper).
[[nodiscard]] inline Plan slotted() { return {.start = SlotStart{}}; }

/// Collectives after a barrier, timed on the root (SKaMPI paper). The body must end with a barrier. The time of a
/// barrier alone is measured and reported as the correction.
[[nodiscard]] inline Plan collective() {
    return {
        .start = BarrierStart{}, .combine = Combine::root, .stop = stop::Skampi{}, .correction = Correction::barrier};
}

/// Ping-pong of two ranks, timed on the root (SKaMPI paper). The replies synchronise the ranks.
[[nodiscard]] inline Plan ping_pong() {
    return {
        .start = FreeStart{}, .combine = Combine::root, .stop = stop::Skampi{}, .correction = Correction::empty_loop};
}

/// A local operation, timed on the root. A sample repeats it for 20 to 80 us, which is long compared with the clock's
/// step.
[[nodiscard]] inline Plan simple() {
    return {.start = FreeStart{},
            .batch = TargetDuration{seconds{20e-6}, seconds{80e-6}},
            .combine = Combine::root,
            .stop = stop::Skampi{},
            .correction = Correction::empty_loop};
}

}  // namespace measure::pattern
#pragma GCC visibility pop
