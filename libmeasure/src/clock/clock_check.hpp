// SPDX-License-Identifier: BSD-3-Clause
/// Verifies the starts of a point: compares its clocks again and flags or rejects its value.
#pragma once

#include "measure/clock_sync.hpp"
#include "measure/measurement.hpp"
#include "run/epoch.hpp"

#include <optional>

namespace measure::detail {

/// Compares the clocks of a point that relied on them, and stores the result in `m.sync`. Collective. \return empty if
/// the point did not rely on clocks or is not to be checked
[[nodiscard]] std::optional<Residual> compare_clocks(Comm const& comm, StartChoice const& choice,
                                                     GlobalClock const& clock, Measurement& m);

/// Marks all samples invalid, because their starts were not on time.
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

/// State of the clock that defined the starts.
struct ClockState {
    bool synchronised = true;
    bool poor = false;  ///< less accurate than it could be: without verification, the point has no value
};

/// Flags a point by the state of its clocks. Removes its value if the clocks are less accurate than they could be and
/// the comparison does not confirm them. Arithmetic only; root.
inline void judge_clocks(Measurement& m, Residual const& residual, ClockState clock) {
    constexpr double tolerated_share = 0.05;  // share of the result
    constexpr double doubtful_share = 0.5;
    // For clocks that were not synchronised, the comparison is the only evidence.
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
