// SPDX-License-Identifier: BSD-3-Clause
/// Samples: what one rank saw of one sample, and how the ranks' views are joined.
#pragma once

#include "measure/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Why a sample is invalid. Ordered by weight: of several that apply, on one rank or on several, the largest counts.
enum class InvalidReason : std::uint8_t {
    none,      ///< the sample is valid
    overrun,   ///< ended after its slot
    slip,      ///< left the wait too late: pre-empted inside the spin
    late,      ///< the first look at the clock was already past the start
    backward,  ///< a rank's clock went back in the sample or its wait; a time below 0 is given as 0
    failed,    ///< the operation reported an error
};
/// "overrun", "slip", "late", "backward", "failed"; "none".
[[nodiscard]] std::string_view name(InvalidReason reason) noexcept;

/// Invalid samples by reason.
struct InvalidCounts {
    std::int64_t late = 0;                    ///< the first look at the clock was past the start
    std::int64_t overrun = 0;                 ///< ended after their slot
    std::int64_t slip = 0;                    ///< left the wait too late
    std::int64_t failed = 0;                  ///< the operation reported an error
    std::int64_t backward = 0;                ///< the clock went back in between
    void add(InvalidReason reason) noexcept;  ///< none counts nothing
    /// Adds the counts of another run of the same point.
    InvalidCounts& operator+=(InvalidCounts const& other) noexcept {
        late += other.late;
        overrun += other.overrun;
        slip += other.slip;
        failed += other.failed;
        backward += other.backward;
        return *this;
    }
    /// All invalid samples.
    [[nodiscard]] std::int64_t total() const noexcept { return late + overrun + slip + failed + backward; }
};
/// "1 failed, 149 late, 10 slip": what there is, the heaviest first; empty where all samples are valid.
[[nodiscard]] std::string text(InvalidCounts const& counts);

/// Which number of one sample, joined over ranks, drives stopping and the estimate.
enum class Combine {
    root,  ///< the root's duration
    max,   ///< the longest duration
    min,   ///< the shortest
    mean,  ///< the mean over ranks
    span,  ///< last end minus first begin on the global clock; needs synchronised clocks
};
[[nodiscard]] std::string_view name(Combine c) noexcept;  ///< as the enumerator reads

/// Begin and end of a sample on one rank: seconds in root time after the stage's first slot start.
struct RankTimes {
    double begin = 0;  ///< opening stamp
    double end = 0;    ///< closing stamp
};

/// One sample joined over ranks. Times in seconds per iteration. Root only.
struct Sample {
    int stage = 0;                                ///< 1, 2, ..; the warm-up stage 0 is not kept
    InvalidReason invalid = InvalidReason::none;  ///< none: valid
    double time = 0;                              ///< the leading number (Combine)
    std::int64_t iterations = 1;                  ///< executions between its two readings, of the root
    std::optional<double> span{};                 ///< with synchronised clocks only
    std::optional<double> start_imbalance{};      ///< latest minus earliest begin
    std::optional<double> exit_imbalance{};       ///< latest minus earliest end
    std::vector<RankTimes> ranks{};               ///< [ranks], with Keep::samples only
};

/// Minimum, mean, maximum over ranks.
struct RankSpread {
    double min = 0;   ///< the smallest of the ranks' values
    double mean = 0;  ///< their mean
    double max = 0;   ///< the largest of them
};

/// Largest number of phases of one sample.
inline constexpr std::size_t max_phases = 8;

/// One rank's own view of a measurement, over the valid samples (untrimmed). Seconds per iteration.
struct RankSummary {
    int rank = 0;                             ///< in the communicator of the measurement
    std::int64_t valid = 0;                   ///< samples; the same on all ranks
    double mean = 0;                          ///< of the rank's durations, as all that follows
    std::optional<double> standard_error{};   ///< of `mean`: s / sqrt(n); nothing for fewer than two samples
    double median = 0;                        ///< the middle duration
    double min = 0;                           ///< the shortest duration
    double max = 0;                           ///< the longest duration
    double kept_mean = 0;                     ///< over the samples that the estimate keeps: the same ones on all ranks
    std::array<double, max_phases> phases{};  ///< means of the named phases, over the valid samples
};

}  // namespace measure
#pragma GCC visibility pop
