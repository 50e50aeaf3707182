// SPDX-License-Identifier: BSD-3-Clause
/// Settling: the warm-up of an operation until its time is steady, and the test for changes afterwards.
///
/// A run is one execution of the body.
#pragma once

#include "measure/statistics.hpp"
#include "measure/units.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Rules for the warm-up of a point. `least_calls` and `least_time` apply to the first point of an operation on a
/// communicator; `least_calls_later` and `least_time_later` apply to its other points. If every point has a new
/// communicator, every point is a first one.
///
/// A point is settled after a stage that takes the same time as the stage before it, without page faults on any rank or
/// with a steady number of them. Two stages take the same time if a rank test finds no difference at the significance
/// level 0.01, or if their medians differ by at most the largest of 5 %, three standard errors and two steps of the
/// clock. The samples of earlier stages are discarded. MPI libraries need such a warm-up: shared-memory transports
/// touch new memory during the first hundreds of messages. Some libraries switch algorithms after a number of calls.
struct Settling {
    /// Number of calls before the first stage is examined, or as many as fit into `least_time` if these are fewer;
    /// >= 0. They cover changes that occur after a number of calls and cause no page faults.
    std::int64_t least_calls = 1000;
    /// Upper bound on the time of `least_calls`, s; >= 0. It is converted to a number of calls with the time per call
    /// of the fastest stage. If other programs use the cores, these calls may take longer. After ten times
    /// `least_time`, the remaining calls are omitted, and the point is unsettled.
    seconds least_time{20e-3};
    /// As `least_calls`, for the later points of an operation; the smaller of both is used. Transports send through a
    /// ring of buffers (UCX 1.13: 64 buffers of 8 KiB). Until each buffer was used once with the new size, every call
    /// moves cold cache lines. Successive stages then agree although their times are too long.
    std::int64_t least_calls_later = 256;
    seconds least_time_later{5e-3};  ///< as `least_time`, for `least_calls_later`, s; >= 0
    std::int64_t at_most = 2000;     ///< largest number of runs in the examined stages; >= 1
    seconds at_most_time{0.5};       ///< time limit for these stages, s, >= 0; at least the time of 50 stages
    bool operator==(Settling const&) const = default;  ///< compares all members
};

/// Result of the warm-up of a point. Complete on the root only.
struct SettlingReport {
    std::int64_t runs = 0;    ///< warm-up runs, before the first counted run
    double faults_first = 0;  ///< page faults per run in the first examined stage, on the rank with the most
    /// Page faults per run in the last examined stage, which may already count, on the rank with the most.
    double faults_last = 0;
    std::int64_t runs_counted = 0;          ///< runs in the counted samples; 0: not known
    double faults_counted = 0;              ///< total page faults in the counted runs, on the rank with the most
    double faults_all_ranks = 0;            ///< total page faults in the counted runs, sum over all ranks
    std::int64_t involuntary_switches = 0;  ///< preemptions in the counted runs, on the rank with the most
    std::optional<double> ratio{};          ///< median of the last examined stage divided by that of the first
    /// Why the warm-up ended: "settled", "steady_faults" (steady time, but page faults never end), "runs" or "time" (a
    /// limit was reached, so the point is not settled), or "off" (no stage was examined).
    std::string reason = "off";
    /// Whether the reason is "settled" or "steady_faults".
    [[nodiscard]] bool settled() const noexcept { return reason == "settled" || reason == "steady_faults"; }
};

/// Whether page faults in the counted runs show that the warm-up was too short: there are more than two, and more than
/// one per hundred runs. Up to two stray faults are normal. This rule is used for points without settling. Pure.
/// \param page_faults  total page faults, on the rank with the most
/// \param runs         counted runs
[[nodiscard]] bool is_unsettled(double page_faults, double runs) noexcept;

/// A change of level within a series.
struct Trend {
    std::size_t at = 0;  ///< index of the first value after the change
    double ratio = 1;    ///< median after the change divided by the median before it
    double p = 1;        ///< p-value of the test that detected it
};

/// Tests whether values change their level in the order taken. The test of Mann and Whitney compares the first half
/// with the second. The test of Pettitt (1979) examines the largest step, with K = max |U_t|
/// and p = 2 exp(-6 K^2 / (n^3 + n^2)). Local.
/// \param xs          values > 0; fewer than 16 values never show a trend
/// \param alpha       significance level of each test, in (0, 1)
/// \param least       smallest relative difference of the levels that counts, >= 0
/// \param clock_step  step of the clock in the unit of xs; 0: not known
/// \return nothing unless either p is below `alpha`, and the levels differ by more than `least` and by at least two
///         steps of the clock, because each level may be wrong by one step
[[nodiscard]] std::optional<Trend> find_trend(std::span<double const> xs, double alpha = 0.001, double least = 0.02,
                                              double clock_step = 0);

namespace detail {

/// Facts about a stage of runs that the root collects.
struct SettlingStage {
    std::span<double const> times{};  ///< times of the valid runs, s
    std::int64_t runs = 0;            ///< number of all runs
    double faults = 0;                ///< page faults, on the rank with the most
    double elapsed = 0;               ///< duration of the stage, s
    double clock_step = 0;            ///< step of the clock per run, s
};

/// Decides after each stage whether a point has settled. Pure; only the root has one.
///
///     watching -- an ordinary stage, (no or steady faults) and (time of the stage before) --> settled
///     watching -- at_most runs or at_most_time reached -------------------------------------> given up
class Settler {
public:
    /// \param stage  runs in an ordinary stage, >= 1
    Settler(Settling const& rule, int stage) : rule_{rule}, stage_{stage} {}

    void add(SettlingStage const& stage);
    [[nodiscard]] bool done() const noexcept { return !reason_.empty(); }
    [[nodiscard]] std::string const& reason() const noexcept { return reason_; }
    /// Number of runs of the next stage. It is more than `stage` as long as there are page faults.
    [[nodiscard]] int next_runs() const noexcept { return next_; }
    [[nodiscard]] std::int64_t runs() const noexcept { return runs_; }  ///< runs in all stages
    [[nodiscard]] double faults_first() const noexcept { return rates_.empty() ? 0 : rates_.front(); }
    [[nodiscard]] double faults_last() const noexcept { return rates_.empty() ? 0 : rates_.back(); }
    [[nodiscard]] std::optional<double> ratio() const;  ///< median of the last stage divided by that of the first one

private:
    [[nodiscard]] bool has_steady_faults() const;

    Settling rule_;
    int stage_;
    int next_ = stage_;
    std::int64_t runs_ = 0;
    double elapsed_ = 0;
    double quickest_ = std::numeric_limits<double>::infinity();  ///< time per run of the fastest stage, s
    std::vector<double> rates_;                                  ///< page faults per run, by stage
    std::vector<double> previous_;                               ///< times of the last stage with valid runs
    std::optional<double> first_median_;
    std::optional<double> last_median_;
    std::string reason_;
};

}  // namespace detail
}  // namespace measure
#pragma GCC visibility pop
