// SPDX-License-Identifier: BSD-3-Clause
/// What the starts of a point were worth: its clocks are compared again, and its number is judged by that.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/measurement.hpp"
#include "run/epoch.hpp"

#include <optional>

namespace measure::detail {

/// Compares the clocks of a point that relied on them, and says in `m.sync` what they are. Collective.
/// \return nothing where the point did not rely on clocks, or is not to be checked
[[nodiscard]] std::optional<Residual> compare_clocks(Comm const& comm, StartChoice const& choice,
                                                     GlobalClock const& clock, Measurement& m);

/// Starts that were not at their instants make every sample invalid.
inline void void_samples(Measurement& m) {
    m.invalid.late += m.valid;
    m.valid = 0;
    m.kept = 0;
    m.estimate.reset();
    m.corrected.reset();
    m.over_ranks.reset();
    m.span.reset();
    m.start_imbalance.reset();
    m.exit_imbalance.reset();
    m.phases.clear();
    m.mine = {.rank = m.mine.rank};
    for (auto& rank : m.ranks)
        rank = {.rank = rank.rank};
    for (auto& sample : m.samples)
        if (sample.invalid == InvalidReason::none)
            sample.invalid = InvalidReason::late;
    for (auto& epoch : m.epochs) {
        epoch.estimate.reset();
        epoch.valid = 0;
    }
    m.ratio.reset();
    m.trend.reset();
    m.verdict = StopVerdict::no_valid_samples;
}

/// What is known of the clock that made the starts.
struct ClockState {
    bool synchronised = true;
    bool poor = false;  ///< worse than it need be: where nothing verifies it, the point has no number
};

/// Flags a point by its clocks; takes its number away where they are known worse than they need be and comparing them
/// again does not show that they are right. Arithmetic only; root.
inline void judge_clocks(Measurement& m, Residual const& residual, ClockState clock) {
    constexpr double tolerated_share = 0.05;  // of the result
    constexpr double doubtful_share = 0.5;
    // Nothing but the comparison speaks for clocks that were not synchronised.
    bool const too_vague = !clock.synchronised && residual.proven == seconds{0} && m.estimate &&
                           residual.possible.count() > doubtful_share * m.estimate->value;
    bool const unverified = residual.poor > 0 || too_vague;
    if (!clock.synchronised && residual.proven > seconds{0})
        m.flag("unsynchronised");
    if (unverified)
        m.flag("unverified");
    if (!m.estimate)
        return;
    bool const degraded = clock.synchronised && residual.proven.count() >= tolerated_share * m.estimate->value &&
                          residual.proven > seconds{0};
    if (degraded)
        m.flag("sync_degraded");
    if (clock.poor && (degraded || unverified)) {
        void_samples(m);
        m.flag("sync_poor");
    }
}

}  // namespace measure::detail
