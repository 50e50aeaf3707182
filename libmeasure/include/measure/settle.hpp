// SPDX-License-Identifier: BSD-3-Clause
/// Settling: how long an operation is warmed up before its runs count, and whether they kept changing afterwards.
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

/// How an operation is warmed up. Every member bounds the warm-up of one point. `least_calls` and `least_time` are for
/// the first point of an operation on its communicator, `least_calls_later` and `least_time_later` for its others; on
/// a communicator that is made for each point every point is a first one.
///
/// A point is settled when a stage of runs has no page fault on any rank, or a steady number of them, and takes no
/// other time than the stage before it (rank test at 1 %, or medians within the largest of 5 %, three standard errors
/// and two steps of the clock). The stages before that one do not count. MPI libraries need this: shared-memory
/// transports touch new memory for the first hundreds of messages, and switch algorithms after a number of calls.
struct Settling {
    /// Calls before the first stage is looked at, or `least_time` of calls where that is less; >= 0. They catch changes
    /// that come after a number of calls without page faults.
    std::int64_t least_calls = 1000;
    /// See `least_calls`; >= 0. Calls count as long as in the quickest stage: where other programs take the cores they
    /// may last ten times that. What is missing then makes the point unsettled.
    seconds least_time{20e-3};
    /// The same for the other points of an operation, `least_calls` at most. Transports send through a ring of buffers:
    /// until each was used once at the new size, every call moves cold cache lines, and successive stages agree
    /// although they are too long.
    std::int64_t least_calls_later = 256;
    seconds least_time_later{5e-3};  ///< see `least_calls_later`; >= 0
    std::int64_t at_most = 2000;     ///< runs in the stages that are looked at; >= 1
    seconds at_most_time{0.5};       ///< for these stages, or 50 times the time of one stage where that is more; >= 0
    bool operator==(Settling const&) const = default;  ///< member by member
};

/// How the warm-up of a point went. Complete on the root.
struct SettlingReport {
    std::int64_t runs = 0;          ///< executions of the body before the first that counts
    double faults_first = 0;        ///< page faults per run in the first stage, of the rank with most
    double faults_last = 0;         ///< the same in the last stage before the runs that count, or the first of them
    std::int64_t runs_counted = 0;  ///< executions in the samples that count; 0: not known
    double faults_counted = 0;      ///< page faults in the runs that count, of the rank with most; in total
    double faults_all_ranks = 0;    ///< the same of all ranks together; in total
    std::int64_t involuntary_switches = 0;  ///< how often the kernel took a core away in them, of the rank with most
    std::optional<double> ratio{};          ///< median of the first runs that count over that of the first stage
    /// Why the warm-up ended: "settled", "steady_faults" (faults never end, and time stands still), "runs", "time" (a
    /// limit struck: the point is not settled), "off" (nothing was looked at).
    std::string reason = "off";
    /// Whether the reason is one of the first two.
    [[nodiscard]] bool settled() const noexcept { return reason == "settled" || reason == "steady_faults"; }
};

/// Whether page faults in the runs that count say that they came too early: more than in one run of a hundred, and more
/// than the two that stray into any. The rule where nothing settled before. \param page_faults  of the rank with most
[[nodiscard]] bool is_unsettled(double page_faults, double runs) noexcept;

/// A change of level inside a series.
struct Trend {
    std::size_t at = 0;  ///< the change lies before this value
    double ratio = 1;    ///< median from there on over the median before
    double p = 1;        ///< of the test that saw it
};

/// Whether values in the order taken change their level: first against second half by the test of Mann and Whitney,
/// and the largest step by that of Pettitt (1979), K = max |U_t| with p = 2 exp(-6 K^2 / (n^3 + n^2)). Nothing unless
/// either p is below `alpha` and the two levels differ by more than `least`, relative, and by two steps of the clock:
/// each level may be wrong by one. Local.
/// \param xs  > 0; fewer than 16 values show no trend  \param alpha  in (0, 1)  \param least  >= 0
/// \param clock_step  in the unit of xs; 0: not known
[[nodiscard]] std::optional<Trend> find_trend(std::span<double const> xs, double alpha = 0.001, double least = 0.02,
                                              double clock_step = 0);

namespace detail {

/// What the root learns of a stage of runs.
struct SettlingStage {
    std::span<double const> times{};  ///< of the valid runs, s
    std::int64_t runs = 0;            ///< all of them
    double faults = 0;                ///< page faults, of the rank with most
    double elapsed = 0;               ///< that the stage took, s
    double clock_step = 0;            ///< of a run, s
};

/// Decides stage by stage whether a point has settled. Pure; kept by the root.
///
///     watching --(clean or steady) and (like the stage before), a stage of ordinary size--> settled
///     watching --more than at_most runs, or at_most_time--------------------------------> given up
class Settler {
public:
    /// \param stage  runs of an ordinary stage, >= 1
    Settler(Settling const& rule, int stage) : rule_{rule}, stage_{stage} {}

    void add(SettlingStage const& stage);
    [[nodiscard]] bool done() const noexcept { return !reason_.empty(); }
    [[nodiscard]] std::string const& reason() const noexcept { return reason_; }
    /// Runs of the next stage: more than an ordinary one has where there are page faults to get over.
    [[nodiscard]] int next_runs() const noexcept { return next_; }
    [[nodiscard]] std::int64_t runs() const noexcept { return runs_; }  ///< of all stages
    [[nodiscard]] double faults_first() const noexcept { return rates_.empty() ? 0 : rates_.front(); }
    [[nodiscard]] double faults_last() const noexcept { return rates_.empty() ? 0 : rates_.back(); }
    [[nodiscard]] std::optional<double> ratio() const;  ///< of the last stage's median to the first one's

private:
    [[nodiscard]] bool has_steady_faults() const;

    Settling rule_;
    int stage_;
    int next_ = stage_;
    std::int64_t runs_ = 0;
    double elapsed_ = 0;
    double quickest_ = std::numeric_limits<double>::infinity();  ///< stage, per run, s
    std::vector<double> rates_;                                  ///< page faults per run, by stage
    std::vector<double> previous_;                               ///< times of the last stage with valid runs
    std::optional<double> first_median_;
    std::optional<double> last_median_;
    std::string reason_;
};

}  // namespace detail
}  // namespace measure
#pragma GCC visibility pop
