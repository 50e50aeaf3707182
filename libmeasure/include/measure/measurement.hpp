// SPDX-License-Identifier: BSD-3-Clause
/// Measurement: what came out of a run.
#pragma once

#include "measure/sample.hpp"
#include "measure/settle.hpp"
#include "measure/statistics.hpp"
#include "measure/stopping.hpp"
#include "measure/two_samples.hpp"
#include "measure/units.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// A named phase of the samples, joined over ranks like the time itself.
struct PhaseResult {
    std::string name{};                  ///< as the operation names it
    std::optional<Estimate> estimate{};  ///< seconds per iteration; nothing without a valid sample
};

/// One epoch: the point measured once from nothing.
struct EpochResult {
    std::optional<Estimate> estimate{};  ///< nothing where no sample was valid
    std::int64_t attempts = 0;           ///< samples tried, warm-up not counted
    std::int64_t valid = 0;              ///< samples that are valid
    Decision decision{};                 ///< why it stopped
};

/// State of the clocks when a point was measured.
struct SyncState {
    std::string algorithm = "none";          ///< of the clock that was used: "auto" is resolved
    std::optional<double> bound{};           ///< guaranteed error, largest over ranks, s
    std::optional<double> age{};             ///< at the end of the point, s
    std::optional<double> residual{};        ///< largest difference found when offsets were measured again, s
    std::optional<double> residual_rms{};    ///< of these differences over ranks, s
    std::optional<double> residual_bound{};  ///< guaranteed error of what was measured again, largest over ranks, s
    /// [ranks] on the root: true minus estimated root time, s; NaN for ranks that were not looked at. Empty where
    /// nothing was measured again.
    std::vector<double> residual_of_ranks{};
};

/// Flags that say that the clocks of the ranks were not good enough for their starts.
inline constexpr std::array<std::string_view, 5> clock_flags{"clocks_disagree", "sync_degraded", "sync_poor",
                                                             "unsynchronised", "unverified"};
/// Whether a flag is one of them.
[[nodiscard]] constexpr bool is_clock_flag(std::string_view flag) noexcept {
    for (auto const each : clock_flags)
        if (each == flag)
            return true;
    return false;
}

/// What came out of a run. Times in seconds per iteration. Complete on the root; the other ranks know the verdict,
/// the stop reason, the counts and `mine`.
struct Measurement {
    StopVerdict verdict = StopVerdict::more;  ///< the worst of the epochs
    std::string stop_reason{};                ///< count, relative_error, interval, clock_step, budget, exhausted, own
    std::string message{};                    ///< a sentence for people where something went wrong, else empty
    std::string data_error{};                 ///< what the operation's check found wrong in any epoch, else empty
    std::optional<Estimate> estimate{};       ///< nothing without a valid sample
    std::int64_t attempts = 0;                ///< samples tried, warm-up not counted
    std::int64_t valid = 0;                   ///< samples that are valid
    std::int64_t kept = 0;                    ///< of the valid ones, after trimming
    InvalidCounts invalid{};                  ///< invalid samples by reason
    std::int64_t iterations_per_sample = 1;   ///< executions between two clock readings; of the last stage
    Combine combine = Combine::max;           ///< which number of a sample counted

    std::optional<RankSpread> over_ranks{};  ///< of the ranks' means over the kept samples
    RankSummary mine{};                      ///< this rank's view
    std::vector<RankSummary> ranks{};        ///< [ranks], from Keep::ranks on
    std::vector<Sample> samples{};           ///< every attempt, Keep::samples only

    std::optional<double> span{};             ///< last end minus first begin, mean over kept; synchronised clocks only
    std::optional<double> start_imbalance{};  ///< latest minus earliest begin, likewise
    std::optional<double> exit_imbalance{};   ///< latest minus earliest end, likewise
    std::vector<PhaseResult> phases{};        ///< in the order of their names
    std::vector<EpochResult> epochs{};        ///< [epochs of the plan, or placements of a comparison]

    std::optional<double> correction{};  ///< time of an empty sample (the largest over ranks)
    std::optional<double> corrected{};   ///< the value less each rank's own `correction`, not clamped at zero

    SettlingReport settling{};     ///< how the warm-up went, and what the kernel did in the runs that count
    std::optional<Trend> trend{};  ///< a change of level inside the runs that count, of the first epoch with one
    std::optional<Ratio> ratio{};  ///< to the first of several operations that were measured in turn
    int attempt = 1;               ///< of a point that was measured again: which measurement this is

    std::optional<double> first_call{};       ///< the first call of the warm-up on the root, s
    std::optional<double> second_call{};      ///< the second call there, s
    std::vector<double> slot_lengths{};       ///< per stage, last epoch; slot start only
    std::int64_t lost_in_slots = 0;           ///< invalid samples before the start fell back to barriers
    std::optional<double> broadcast_bound{};  ///< time allowed for telling all ranks the first start, s
    SyncState sync{};                         ///< of the clocks; "none" where starts need none
    std::string start{};                      ///< the start mode that was used
    std::vector<std::string> flags{};         ///< marks of what to mind, "oversubscribed"
    double elapsed = 0;                       ///< that the run took, warm-up and synchronisation included, s

    /// The headline; NaN where there is none, and likewise its error.
    [[nodiscard]] seconds time() const noexcept;
    [[nodiscard]] seconds error() const noexcept;  ///< standard error of the headline
    /// The phase of that name. \throws UsageError
    [[nodiscard]] PhaseResult const& phase(std::string_view name) const;
    void flag(std::string_view name);                                   ///< adds a flag once
    [[nodiscard]] bool has_flag(std::string_view name) const noexcept;  ///< whether it was added
};

/// "0.431 us +- 0.005 us (95 %: 0.420 .. 0.442), 37 of 40 samples valid, stopped: interval [autocorrelated]": value
/// with its error, counts or the message that has them, stop reason, what the operation's check found, flags.
[[nodiscard]] std::string text(Measurement const& m);

}  // namespace measure
#pragma GCC visibility pop
