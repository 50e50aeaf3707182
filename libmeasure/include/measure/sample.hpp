// SPDX-License-Identifier: BSD-3-Clause
/// Samples: the data of one sample, and the way in which the values of all ranks are joined.
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

/// Fault of a sample, in ascending order of severity. If several apply, on one or more ranks, the largest value is
/// used.
enum class InvalidReason : std::uint8_t {
    none,      ///< the sample is valid
    overrun,   ///< a rank finished after the end of the slot
    slip,      ///< a rank left its wait too late: it was pre-empted while it waited
    late,      ///< the start had already passed when a rank began to wait for it
    backward,  ///< a rank's clock went back during the sample or the wait; a negative time is reported as 0
    failed,    ///< the operation reported an error
};
/// Name of the enumerator: "none", "overrun", "slip", "late", "backward" or "failed".
[[nodiscard]] std::string_view name(InvalidReason reason) noexcept;

/// Number of invalid samples for each reason.
struct InvalidCounts {
    std::int64_t late = 0;                    ///< samples with InvalidReason::late
    std::int64_t overrun = 0;                 ///< samples with InvalidReason::overrun
    std::int64_t slip = 0;                    ///< samples with InvalidReason::slip
    std::int64_t failed = 0;                  ///< samples with InvalidReason::failed
    std::int64_t backward = 0;                ///< samples with InvalidReason::backward
    void add(InvalidReason reason) noexcept;  ///< counts one sample; ignores InvalidReason::none
    /// Adds the counts of another measurement of the same point.
    InvalidCounts& operator+=(InvalidCounts const& other) noexcept {
        late += other.late;
        overrun += other.overrun;
        slip += other.slip;
        failed += other.failed;
        backward += other.backward;
        return *this;
    }
    /// Number of all invalid samples.
    [[nodiscard]] std::int64_t total() const noexcept { return late + overrun + slip + failed + backward; }
};
/// Nonzero counts as text, most severe first: "1 failed, 149 late, 10 slip". Empty if all samples are valid.
[[nodiscard]] std::string text(InvalidCounts const& counts);

/// How the durations of a sample on all ranks are joined into one number, which stopping rule and estimate use.
enum class Combine {
    root,  ///< duration on the root
    max,   ///< longest duration
    min,   ///< shortest duration
    mean,  ///< mean of the durations
    span,  ///< last end minus first begin on the global clock; requires synchronised clocks
};
[[nodiscard]] std::string_view name(Combine c) noexcept;  ///< name of the enumerator, "root"

/// Begin and end of a sample on one rank: root time in seconds after the first start of the stage.
struct RankTimes {
    double begin = 0;  ///< time of the opening stamp, s
    double end = 0;    ///< time of the closing stamp, s
};

/// One sample joined over ranks. Times in seconds per iteration. Root only.
struct Sample {
    int stage = 0;                                ///< number of its stage, >= 1; the warm-up stage 0 is not kept
    InvalidReason invalid = InvalidReason::none;  ///< fault of the sample; none: valid
    double time = 0;                              ///< joined time that stopping rule and estimate use, see Combine
    std::int64_t iterations = 1;                  ///< executions of the body in this sample, on the root
    std::optional<double> span{};                 ///< last end minus first begin; only with synchronised clocks
    std::optional<double> start_imbalance{};      ///< latest minus earliest begin; only with synchronised clocks
    std::optional<double> exit_imbalance{};       ///< latest minus earliest end; only with synchronised clocks
    std::vector<RankTimes> ranks{};               ///< [ranks] with Keep::samples, otherwise empty
};

/// Minimum, mean and maximum of one value per rank.
struct RankSpread {
    double min = 0;   ///< smallest value
    double mean = 0;  ///< mean of the values
    double max = 0;   ///< largest value
};

/// Maximum number of phases that are measured in a sample. Further phases are ignored.
inline constexpr std::size_t max_phases = 8;

/// Statistics of one rank's durations over all valid samples (untrimmed), in seconds per iteration.
struct RankSummary {
    int rank = 0;                             ///< rank in the communicator of the measurement
    std::int64_t valid = 0;                   ///< number of valid samples; the same on all ranks
    double mean = 0;                          ///< mean of the durations
    std::optional<double> standard_error{};   ///< error of `mean`: s / sqrt(n); empty for fewer than two samples
    double median = 0;                        ///< median of the durations
    double min = 0;                           ///< shortest duration
    double max = 0;                           ///< longest duration
    double kept_mean = 0;                     ///< mean over the samples that the estimate keeps, the same on all ranks
    std::array<double, max_phases> phases{};  ///< mean duration of each named phase
};

}  // namespace measure
#pragma GCC visibility pop
