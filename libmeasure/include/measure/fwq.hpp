// SPDX-License-Identifier: BSD-3-Clause
/// Fixed work quanta (FWQ): how long the same computation takes again and again. What it takes longer than at its
/// fastest, the core has spent on something else, or has run more slowly: other than a loop of clock readings
/// (detours.hpp) this sees a clock rate that changes and a core whose units another thread uses too. Local; every rank
/// of a run may look at once.
#pragma once

#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// How long to look, and at how much work.
struct FwqRule {
    seconds duration{1};  ///< > 0
    /// Steps of one quantum, > 0. A step depends on the one before and needs no memory: a multiplication and an
    /// addition of 64 bits, about four cycles; the default takes about 0.1 ms.
    std::int64_t steps = 65536;
};

/// What a loop of equal quanta took.
struct Fwq {
    std::int64_t steps = 0;  ///< of one quantum
    /// Time of each, s, one right after another: at most 1048576, and none after the clock went back.
    std::vector<double> quanta{};
};

/// Works for the duration, at least one quantum. Local. \throws UsageError for a rule out of range
[[nodiscard]] Fwq observe_fwq(AnyTimer const& timer, FwqRule const& rule = {});

/// Fixed work in numbers, trivially copyable. Seconds.
struct FwqSummary {
    double duration = 0;      ///< sum of the quanta
    std::int64_t quanta = 0;  ///< number of them
    double fastest = 0;       ///< a quantum that nothing has disturbed
    double quick = 0;         ///< quantile 0.05: what comes at least now and then
    double median = 0;        ///< of the quanta
    double slowest = 0;       ///< of the quanta

    /// Time that the fastest quantum would not have needed, as a share of the duration, in [0, 1].
    [[nodiscard]] double lost() const noexcept {
        return duration > 0 ? 1 - fastest * static_cast<double>(quanta) / duration : 0;
    }
    /// What the usual quantum takes longer than a quick one, as a share of that: above 0.02 or so the core does not
    /// always work at one speed. A single fast quantum makes no difference.
    [[nodiscard]] double slowdown() const noexcept { return quick > 0 ? median / quick - 1 : 0; }
};

/// All quanta as one summary. Pure.
[[nodiscard]] FwqSummary summary_of(Fwq const& work);

}  // namespace measure
#pragma GCC visibility pop
