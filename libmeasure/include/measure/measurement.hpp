// SPDX-License-Identifier: BSD-3-Clause
/// Measurement: what came out of a run.
#pragma once

#include "measure/sample.hpp"
#include "measure/statistics.hpp"
#include "measure/stopping.hpp"
#include "measure/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A named phase of the samples, joined over ranks like the time itself.
struct PhaseResult {
    std::string name{};
    std::optional<Estimate> estimate{};
};

/// One epoch: the point measured once from nothing.
struct EpochResult {
    std::optional<Estimate> estimate{};  ///< nothing where no sample was valid
    std::int64_t attempts = 0;
    std::int64_t valid = 0;
    Decision decision{};
};

/// State of the clocks when a point was measured.
struct SyncState {
    std::string algorithm = "none";
    std::optional<double> bound{};         ///< guaranteed error, largest over ranks, s
    std::optional<double> age{};           ///< at the end of the point, s
    std::optional<double> residual{};      ///< largest difference found when offsets were measured again, s
    std::optional<double> residual_rms{};  ///< of these differences over ranks, s
};

/// What came out of a run. Times in seconds per iteration. Complete on the root; the other ranks know the verdict,
/// the reason, the counts and `mine`.
struct Measurement {
    Verdict verdict = Verdict::more;
    std::string reason{};                ///< why it stopped: count, relative_error, interval, budget, exhausted, own
    std::string defect{};                ///< what the operation's check found wrong in any epoch, else empty
    std::string note{};                  ///< a sentence for people where something went wrong, else empty
    std::optional<Estimate> estimate{};  ///< nothing without a valid sample
    std::int64_t attempts = 0;           ///< samples tried, warm-up not counted
    std::int64_t valid = 0;
    std::int64_t kept = 0;
    FaultCounts invalid{};
    std::int64_t iterations_per_sample = 1;
    Combine combine = Combine::max;

    std::optional<OverRanks> over_ranks{};  ///< of the ranks' means over the kept samples
    RankSummary mine{};
    std::vector<RankSummary> ranks{};  ///< [ranks], from Detail::ranks on
    std::vector<Sample> samples{};     ///< every attempt, Detail::samples only

    std::optional<double> span{};  ///< means over the kept samples, synchronised clocks only
    std::optional<double> start_imbalance{};
    std::optional<double> exit_imbalance{};
    std::vector<PhaseResult> phases{};
    std::vector<EpochResult> epochs{};  ///< [epochs of the plan]

    std::optional<double> correction{};  ///< time of an empty sample (the largest over ranks)
    std::optional<double> corrected{};   ///< trimmed mean of the samples less each rank's own correction

    std::optional<double> first_call{};  ///< duration of the first and second call of the warm-up stage on the root
    std::optional<double> second_call{};
    std::vector<double> slot_lengths{};       ///< per stage, last epoch; slot start only
    std::optional<double> broadcast_bound{};  ///< time the root allows for telling the first start
    SyncState sync{};
    std::string start{};  ///< the start mode that was used
    std::vector<std::string> flags{};
    double elapsed = 0;

    /// The headline and its standard error; NaN where there is none.
    [[nodiscard]] seconds time() const noexcept;
    [[nodiscard]] seconds error() const noexcept;
    /// The phase of that name. \throws UsageError
    [[nodiscard]] PhaseResult const& phase(std::string_view name) const;
    void flag(std::string_view name);
};

/// "0.431 us +- 0.005 us (95 %: 0.420 .. 0.442), 37 of 40 samples valid, stopped: interval"
[[nodiscard]] std::string text(Measurement const& m);

}  // namespace measure
#pragma GCC visibility pop
