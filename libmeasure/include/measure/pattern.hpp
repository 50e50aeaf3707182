// SPDX-License-Identifier: BSD-3-Clause
/// Patterns: the field's ways to measure, as ready plans. Change any field of what they return.
#pragma once

#include "measure/plan.hpp"

#pragma GCC visibility push(default)
/// Ready plans.
namespace measure::pattern {

/// Collectives with synchronised start times: slots on the global clock, the longest rank counts (MPIPerf paper).
[[nodiscard]] inline Plan slotted() { return {.start = SlotStart{}}; }

/// Collectives after a barrier, timed by the root (SKaMPI paper). The body ends with a barrier, whose own time is
/// measured and reported as the correction.
[[nodiscard]] inline Plan collective() {
    return {
        .start = BarrierStart{}, .combine = Combine::root, .stop = stop::Skampi{}, .correction = Correction::barrier};
}

/// Two ranks that answer each other: the echo synchronises, the root's time counts (SKaMPI paper).
[[nodiscard]] inline Plan ping_pong() {
    return {
        .start = FreeStart{}, .combine = Combine::root, .stop = stop::Skampi{}, .correction = Correction::empty_loop};
}

/// A local operation of the root, repeated until a sample is long against the clock's step.
[[nodiscard]] inline Plan simple() {
    return {.start = FreeStart{},
            .batch = TargetDuration{seconds{20e-6}, seconds{80e-6}},
            .combine = Combine::root,
            .stop = stop::Skampi{},
            .correction = Correction::empty_loop};
}

}  // namespace measure::pattern
#pragma GCC visibility pop
