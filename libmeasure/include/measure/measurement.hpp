// SPDX-License-Identifier: BSD-3-Clause
/// Measurement: the result of `run`.
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

/// Result for a named phase of the operation. Its samples are joined over ranks in the same way as the total time.
struct PhaseResult {
    std::string name{};                  ///< name given by the operation
    std::optional<Estimate> estimate{};  ///< seconds per iteration; empty without a valid sample
};

/// Result of an epoch: repetition of the point with its own warm-up.
struct EpochResult {
    std::optional<Estimate> estimate{};  ///< seconds per iteration; empty without a valid sample
    std::int64_t attempts = 0;           ///< samples tried, warm-up not counted
    std::int64_t valid = 0;              ///< samples that are valid
    Decision decision{};                 ///< why the epoch ended
};

/// State of the clocks during the measurement of a point.
struct SyncState {
    std::string algorithm = "none";          ///< algorithm of the clock that was used; "auto" is resolved
    std::optional<double> bound{};           ///< guaranteed error, largest over ranks, s
    std::optional<double> age{};             ///< age of the synchronisation at the end of the point, s
    std::optional<double> residual{};        ///< largest difference when the offsets were measured again, s
    std::optional<double> residual_rms{};    ///< root mean square of these differences over ranks, s
    std::optional<double> residual_bound{};  ///< guaranteed error of the repeated measurement, largest over ranks, s
    /// [ranks], only on the root: the root's time minus the rank's estimate of this time, s. NaN for ranks that were
    /// not checked. Empty if the offsets were not measured again.
    std::vector<double> residual_of_ranks{};
};

/// Flags for clocks that are not accurate enough for synchronised starts.
inline constexpr std::array<std::string_view, 5> clock_flags{"clocks_disagree", "sync_degraded", "sync_poor",
                                                             "unsynchronised", "unverified"};
/// Whether a flag is in `clock_flags`.
[[nodiscard]] constexpr bool is_clock_flag(std::string_view flag) noexcept {
    for (auto const each : clock_flags)
        if (each == flag)
            return true;
    return false;
}

/// The result of `run`. Times are in seconds per iteration, unless stated. Complete on the root. Other ranks have only
/// the verdict, the stop reason, the message, the counts and `mine`.
struct Measurement {
    StopVerdict verdict = StopVerdict::more;  ///< the worst verdict of the epochs
    std::string stop_reason{};                ///< count, relative_error, interval, clock_step, budget, exhausted, own
    std::string message{};                    ///< a sentence that explains what went wrong; otherwise empty
    std::string data_error{};                 ///< error found by the operation's check in any epoch; otherwise empty
    std::optional<Estimate> estimate{};       ///< empty without a valid sample
    std::int64_t attempts = 0;                ///< samples tried, warm-up not counted
    std::int64_t valid = 0;                   ///< samples that are valid
    std::int64_t kept = 0;                    ///< valid samples that remain after trimming
    InvalidCounts invalid{};                  ///< invalid samples by reason
    std::int64_t iterations_per_sample = 1;   ///< executions between two clock readings, in the last stage
    Combine combine = Combine::max;           ///< how the ranks' times form the time of a sample

    std::optional<RankSpread> over_ranks{};  ///< spread of the ranks' means over the kept samples
    RankSummary mine{};                      ///< summary of this rank
    std::vector<RankSummary> ranks{};        ///< [ranks], with Keep::ranks or Keep::samples
    std::vector<Sample> samples{};           ///< every attempt, with Keep::samples

    std::optional<double> span{};  ///< last end minus first begin, mean over kept samples; needs synchronised clocks
    std::optional<double> start_imbalance{};  ///< latest minus earliest begin; otherwise like `span`
    std::optional<double> exit_imbalance{};   ///< latest minus earliest end; otherwise like `span`
    std::vector<PhaseResult> phases{};        ///< in the order of the names in `Operation::phases`
    /// One entry per epoch. If makers are measured in turn and the plan has one epoch: up to `placements` epochs.
    std::vector<EpochResult> epochs{};

    std::optional<double> correction{};  ///< time of an empty sample, largest over ranks
    std::optional<double> corrected{};   ///< value after each rank subtracts its time of an empty sample; may be < 0

    SettlingReport settling{};     ///< result of the warm-up; page faults and preemptions in the counted samples
    std::optional<Trend> trend{};  ///< change of level of the samples, in the first epoch with such a change
    std::optional<Ratio> ratio{};  ///< ratio to the first of several operations measured in turn (the reference)
    int attempt = 1;               ///< 1 for the first measurement of the point, 2 for the second, ..

    std::optional<double> first_call{};       ///< the first call of the warm-up on the root, s
    std::optional<double> second_call{};      ///< the second call of the warm-up on the root, s
    std::vector<double> slot_lengths{};       ///< slot length of each stage of the last epoch, s; slot start only
    std::int64_t lost_in_slots = 0;           ///< invalid samples in slots, before the start fell back to barriers
    std::optional<double> broadcast_bound{};  ///< time allowed for telling all ranks when the first sample starts, s
    SyncState sync{};                         ///< state of the clocks; "none" for starts that do not use them
    std::string start{};                      ///< the start that was used, such as "slot"
    std::vector<std::string> flags{};         ///< caveats of the value, such as "oversubscribed"
    double elapsed = 0;                       ///< duration of the run including warm-up and synchronisation, s

    /// The value, in seconds per iteration. NaN if missing.
    [[nodiscard]] seconds time() const noexcept;
    [[nodiscard]] seconds error() const noexcept;  ///< standard error of the value; NaN if missing
    /// The phase of a name. \throws UsageError if there is no such phase
    [[nodiscard]] PhaseResult const& phase(std::string_view name) const;
    void flag(std::string_view name);  ///< adds a flag, unless the result has it already
    [[nodiscard]] bool has_flag(std::string_view name) const noexcept;  ///< whether the result has the flag
};

/// One line of text: "0.431 us +- 0.005 us (95 %: 0.420 .. 0.442), 37 of 40 samples valid, stopped: interval
/// [autocorrelated]". It shows the value with its error, the counts (or a message with the counts), the stop reason, an
/// error found by the operation's check, and the flags.
[[nodiscard]] std::string text(Measurement const& m);

}  // namespace measure
#pragma GCC visibility pop
