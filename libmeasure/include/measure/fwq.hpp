// SPDX-License-Identifier: BSD-3-Clause
/// Fixed work quanta (FWQ): repeats the same computation and measures the time of each repetition. Additional time,
/// compared with the fastest repetition, was spent on other code, or the core ran more slowly. Unlike a loop of clock
/// readings (detours.hpp), this also detects a clock rate that changes, and a core whose units are shared with another
/// thread. Local; all ranks may observe at the same time.
#pragma once

#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Duration of an observation, and the work of one quantum.
struct FwqRule {
    seconds duration{1};  ///< duration of the observation, s, > 0
    /// Number of steps in a quantum, > 0. A step is a 64-bit multiplication and addition (about four cycles) that
    /// depends on the previous step and needs no memory. The default takes about 0.1 ms.
    std::int64_t steps = 65536;
};

/// Result of an observation.
struct Fwq {
    std::int64_t steps = 0;  ///< number of steps in a quantum
    /// Time of each quantum, s, in order and without gaps; at most 1048576 quanta. Ends early if the clock goes back.
    std::vector<double> quanta{};
};

/// Runs quanta for the duration of the rule, at least one. Local. \throws UsageError for a rule out of range
[[nodiscard]] Fwq observe_fwq(AnyTimer const& timer, FwqRule const& rule = {});

/// Summary of an observation. Times in seconds. Trivially copyable.
struct FwqSummary {
    double duration = 0;      ///< sum of the quanta
    std::int64_t quanta = 0;  ///< number of quanta
    double fastest = 0;       ///< fastest quantum: the time without disturbance
    double quick = 0;         ///< 5th percentile of the quanta: a fast but not exceptional quantum
    double median = 0;        ///< median of the quanta
    double slowest = 0;       ///< slowest quantum

    /// Time lost compared with the fastest quantum, as a share of the duration, in [0, 1].
    [[nodiscard]] double lost() const noexcept {
        return duration > 0 ? 1 - fastest * static_cast<double>(quanta) / duration : 0;
    }
    /// Median quantum relative to the quick quantum, minus 1. Above about 0.02 the speed of the core is not constant. A
    /// single exceptionally fast quantum does not affect this value.
    [[nodiscard]] double slowdown() const noexcept { return quick > 0 ? median / quick - 1 : 0; }
};

/// Summarises all quanta. Pure.
[[nodiscard]] FwqSummary summary_of(Fwq const& work);

}  // namespace measure
#pragma GCC visibility pop
