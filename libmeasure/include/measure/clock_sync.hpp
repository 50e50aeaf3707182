// SPDX-License-Identifier: BSD-3-Clause
/// Clock synchronisation: the synchronisers, the global clock, and what its starts are worth later.
#pragma once

#include "measure/clock_model.hpp"
#include "measure/clock_offset.hpp"
#include "measure/comm.hpp"
#include "measure/own_sync.hpp"
#include "measure/sync_report.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// No synchronisation: offsets are taken as zero and nothing is guaranteed.
struct NoSync {};
/// Ranks one after another against the root: cost O(n), bound rtt/2 (MPIPerf paper, section 5).
struct LinearSync {
    PairOptions pair{};  ///< how a rank and the root are measured
};
/// Each rank against its left neighbour, all pairs at once, offsets summed along the ring: cost O(1) + O(log n), bound
/// grows with the rank (MPIPerf paper, section 5). The closing edge is measured too: its closure is reported and
/// distributed over the edges by the squares of their round trips, unless `plain`.
struct RingSync {
    PairOptions pair{};  ///< how neighbours are measured
    bool plain = false;  ///< offsets are plain sums, as in the paper: the closure is only reported
};
/// Binomial tree: a parent answers with root time, so that its children need no sums. Cost O(log n); bounds and errors
/// add up over at most log2(n) + 1 pairs.
struct TreeSync {
    PairOptions pair{};  ///< how parent and child are measured
};

/// How a drift is measured: offsets of one pair, spread over a time, with a line through them (`fit_drift`).
struct FitOptions {
    int points = 30;    ///< >= 3
    seconds span{0.5};  ///< from the first to the last
};
/// The pair of a fit needs less patience, and less time where a rank is not running: it is measured many times.
[[nodiscard]] constexpr PairOptions fit_pair(PairOptions pair = {}) noexcept {
    if (pair.patience > 20)
        pair.patience = 20;
    if (pair.time_limit > seconds{0.02})
        pair.time_limit = seconds{0.02};
    return pair;
}

/// Drift of each rank against the root, the points of all ranks interleaved: cost O(n), one span (Jones and Koenig
/// 2012).
struct JkSync {
    PairOptions pair = fit_pair();  ///< how each point of a fit is measured
    FitOptions fit{};               ///< of each rank to the root
};
/// Drift along the tree: each child knows its own line before it serves. Cost O(log n) spans (Hunold and Carpen-Amarie
/// 2018).
struct Hca3Sync {
    PairOptions pair = fit_pair();  ///< how each point of a fit is measured
    FitOptions fit{};               ///< of each child to its parent
};
/// No offsets: the timer is one clock on all ranks, as MPI_Wtime where MPI_WTIME_IS_GLOBAL is true. Each rank is
/// measured against the root first. Cost O(n). `synchronise` throws UsageError on all ranks where zero is no possible
/// offset of a rank, whatever MPI says.
struct GlobalSync {
    PairOptions pair{};  ///< how each rank is measured
};
/// Tree (with `drift` HCA3) over the first ranks of all hosts, then each host by itself. Where the timer is one of the
/// machine's clocks and exchanges have shown that zero is a possible offset for every rank of the host, its ranks take
/// over the leader's model; otherwise each is measured against its leader. What MPI says of its clock is not asked.
struct HierSync {
    PairOptions pair{};           ///< how a pair is measured
    std::optional<bool> drift{};  ///< by default where there are several hosts
    FitOptions fit{};             ///< with `drift` only
};
/// One host: hier. Otherwise linear up to 32 ranks (jk where drift matters), hier beyond. Drift matters between hosts
/// in a run longer than a second.
struct AutoSync {
    PairOptions pair{};           ///< handed to the algorithm chosen
    seconds expected{10};         ///< how long the clock will be used
    std::optional<bool> drift{};  ///< by default where it matters
};
namespace detail {
using SyncVariant =
    std::variant<NoSync, LinearSync, RingSync, TreeSync, JkSync, Hca3Sync, HierSync, AutoSync, GlobalSync, OwnSync>;
}
/// How clocks are synchronised: a variant, whose special members are compiled once, in the library.
class Sync : public detail::SyncVariant {
public:
    Sync() noexcept;  ///< NoSync
    /// \{
    /// One of the synchronisers.
    Sync(NoSync sync) noexcept;             // NOLINT(google-explicit-constructor): as std::variant has it, and likewise
    Sync(LinearSync const& sync) noexcept;  // NOLINT(google-explicit-constructor)
    Sync(RingSync const& sync) noexcept;    // NOLINT(google-explicit-constructor)
    Sync(TreeSync const& sync) noexcept;    // NOLINT(google-explicit-constructor)
    Sync(JkSync const& sync) noexcept;      // NOLINT(google-explicit-constructor)
    Sync(Hca3Sync const& sync) noexcept;    // NOLINT(google-explicit-constructor)
    Sync(HierSync const& sync) noexcept;    // NOLINT(google-explicit-constructor)
    Sync(AutoSync const& sync) noexcept;    // NOLINT(google-explicit-constructor)
    Sync(GlobalSync const& sync) noexcept;  // NOLINT(google-explicit-constructor)
    Sync(OwnSync sync);                     // NOLINT(google-explicit-constructor)
    /// \}
    /// \{
    /// Whole values, whatever they hold.
    Sync(Sync const&);
    Sync(Sync&&) noexcept;
    Sync& operator=(Sync const&);
    Sync& operator=(Sync&&) noexcept;
    ~Sync();
    /// \}
};

/// "none", "linear", "ring", "ring:plain", "tree", "jk", "hca3", "hier", "auto", "global" (any letter case).
/// \param drift  of "hier" and "auto", which choose it by themselves; the others are what they are
/// \throws UsageError with the known names
[[nodiscard]] Sync sync_from(std::string_view name, PairOptions const& pair = {}, std::optional<bool> drift = {});
/// All that `sync_from` takes.
[[nodiscard]] std::span<std::string_view const> sync_names() noexcept;
/// As `sync_from` takes it; of an `OwnSync` its own name, which lasts as long as `sync`.
[[nodiscard]] std::string_view name(Sync const& sync) noexcept;

struct Residual;

/// A local timer and its offset to the root's: maps stamps of this rank to root time and back. A value; differs on
/// each rank; made by `synchronise`.
///
/// Local time is counted from an origin stamp that the root read and handed to all ranks: clocks that show the same
/// number at the same moment have offset zero. root_time = local_time + offset, where the offset may change linearly (a
/// `ClockModel`). In double precision a step is below 0.13 ns as long as the clocks differ by less than 10^6 s.
class GlobalClock {
public:
    /// Zero offset, origin zero, no bound: the clock of a rank that is alone.
    GlobalClock();
    /// \{
    /// Whole values.
    GlobalClock(GlobalClock const&);
    GlobalClock(GlobalClock&&) noexcept;
    GlobalClock& operator=(GlobalClock const&);
    GlobalClock& operator=(GlobalClock&&) noexcept;
    ~GlobalClock();
    /// \}

    /// Root time of a stamp, seconds after the origin.
    template <Timer T>
    [[nodiscard]] seconds root_time(T const& timer, typename T::stamp s) const {
        return seconds{model_.to_root(local_time(timer, s))};
    }
    /// The stamp at which this rank's timer shows the given root time.
    template <Timer T>
    [[nodiscard]] typename T::stamp local_stamp(T const& timer, seconds root_time) const {
        return timer.after(detail::unpack_stamp<typename T::stamp>(origin_),
                           seconds{model_.to_local(root_time.count())});
    }
    /// How long a local duration is for the root. The same without a drift model.
    [[nodiscard]] seconds root_duration(seconds local) const noexcept { return local * (1 + model_.rate); }
    /// How long a duration of the root is by this rank's clock.
    [[nodiscard]] seconds local_duration(seconds root) const noexcept { return root / (1 + model_.rate); }
    /// Root time now, by the timer that it was made with. Visits the timer: not for timed regions.
    [[nodiscard]] seconds now() const;

    /// At the synchronisation.
    [[nodiscard]] seconds offset() const noexcept { return seconds{model_.offset_at(made_)}; }
    /// Guaranteed error of this rank's offset at the synchronisation; nothing where nothing is guaranteed. An offset
    /// without a line may have drifted by 50 ppm while others were measured, unless all read one clock. How wrong a
    /// drift model's line has become since it was measured is estimated, not guaranteed: `uncertainty`.
    [[nodiscard]] std::optional<seconds> bound() const noexcept { return bound_; }
    /// Standard error of the drift model's offset now; nothing without a drift model.
    [[nodiscard]] std::optional<seconds> uncertainty() const;
    /// From local time, seconds after the origin, to root time.
    [[nodiscard]] ClockModel const& model() const noexcept { return model_; }
    /// Clocks were synchronised (also: a single rank, whose clock is the root's).
    [[nodiscard]] bool synchronised() const noexcept { return bound_.has_value(); }
    /// How the synchronisation went.
    [[nodiscard]] SyncReport const& report() const noexcept { return report_; }
    /// Time since the synchronisation, by this rank's clock; 0 where that has gone back too far.
    [[nodiscard]] seconds age() const;
    /// Young enough to be used. \param limit  by default 10 s, 1 s between hosts without a drift model
    [[nodiscard]] bool is_young(std::optional<seconds> limit = {}) const;
    /// A pair's round trips were longer than four times the best ever seen for it, to the last try, and there was no
    /// older clock to keep: starts by this clock may be wrong by more than they need be. The same on all ranks.
    [[nodiscard]] bool is_poor() const noexcept { return poor_; }
    /// Says that this clock was found to be wrong: it is not young any more, and the next synchronisation takes over
    /// the round trips that it knows, not its model. Local; what the root says counts.
    void expire() noexcept { expired_ = true; }
    /// The timer that it was made with.
    [[nodiscard]] AnyTimer const& timer() const noexcept { return timer_; }
    /// Its step on this rank, by `seen_step` at the synchronisation.
    [[nodiscard]] seconds step() const noexcept { return step_; }

private:
    friend GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync);
    friend GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync,
                                   GlobalClock const& previous);
    friend PairOffset pair_offset(Comm const&, GlobalClock const&, int, int, PairOptions const&);
    friend std::optional<Residual> residual(Comm const&, GlobalClock const&);
    template <Timer T>
    [[nodiscard]] double local_time(T const& timer, typename T::stamp s) const {
        return timer.between(detail::unpack_stamp<typename T::stamp>(origin_), s).count();
    }
    [[nodiscard]] double local_now() const;
    [[nodiscard]] static GlobalClock make(Comm const& comm, AnyTimer const& timer, Sync const& sync,
                                          GlobalClock const* previous);
    [[nodiscard]] double bound_now() const;
    [[nodiscard]] bool is_contradicted(Comm const& comm, GlobalClock const& newer) const;

    AnyTimer timer_{};
    seconds step_{0};
    std::int64_t origin_ = 0;  ///< the packed origin stamp
    ClockModel model_{};
    std::optional<seconds> bound_{};
    double made_ = 0;  ///< local time of the synchronisation
    SyncReport report_{};
    int ranks_ = 1;
    double drift_allowance_ = 0;  ///< by how much the clocks may drift apart without a model, s/s
    double best_ = 0;             ///< best round trip ever seen for the pair in which this rank asks, s; 0: none
    double near_ = 0;             ///< the longest of them over the pairs on one host, s; 0: none
    double far_ = 0;              ///< the same between hosts
    bool poor_ = false;
    bool expired_ = false;
};

namespace detail {
/// Offsets along a ring from its edges: what `RingSync` computes on the root.
struct Chain {
    std::vector<double> offsets;  ///< [ranks], of each rank to rank 0
    std::vector<double> bounds;   ///< [ranks], guaranteed errors
    double closure = 0;           ///< sum of all edges
};
/// o_i = e_1 + .. + e_i (MPIPerf paper, section 5); unless `plain`, the closure is distributed over the edges with
/// weights w_j = rtt_j^2: o_i - closure * (w_1 + .. + w_i) / (w_0 + .. + w_(n-1)). The squares put the correction on
/// the doubtful edge. A pure function. \param edges   [ranks] offset of rank i to its left neighbour; edges[0] is the
/// closing edge \param bounds  [ranks] guaranteed error of each edge \param rtts  [ranks] smallest round trip of each
/// edge
[[nodiscard]] Chain chain_offsets(std::span<double const> edges, std::span<double const> bounds,
                                  std::span<double const> rtts, bool plain);

/// What a synchroniser that chooses by itself does: `AutoSync`, and a `HierSync` that is not told whether to model
/// drift.
[[nodiscard]] Sync choose_sync(Sync const& sync, int ranks, int hosts);

/// Whether an older clock stays in place of a newer one. A pure function. Seconds.
/// \param worse         a pair of the newer one was poor beside the best that was ever seen for it
/// \param contradicted  the offsets of the two differ by more than both bounds: one of the clocks was set
/// \param old_bound     of the older one, grown by what its age allows  \param new_bound  of the newer one
[[nodiscard]] constexpr bool keeps_older(bool worse, bool contradicted, double old_bound, double new_bound) noexcept {
    return worse && !contradicted && old_bound < new_bound;
}
}  // namespace detail

/// Synchronises the clocks of all ranks to the root's. Collective. Memory per rank is constant but on the root.
/// \throws UsageError; BodyError where an `OwnSync` fails on any rank
[[nodiscard]] GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync = LinearSync{});

/// Synchronises again, and keeps the earlier clock where the new one would be less exact. What the earlier clock knows
/// of each pair's best round trip tells whether a pair is poor: more than four times as long. Such a pair is measured
/// again, up to three times. Where that does not help, the earlier clock is returned as it is, if the bound that it has
/// left at its age (with 50 ppm for each second where nothing is known of drift and the clocks are not those of one
/// host) is smaller than the new one; otherwise the new clock, which `is_poor()`. Collective.
/// \param previous  of the same ranks and timer; what it knows is not used otherwise, nor where the algorithm differs
[[nodiscard]] GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync,
                                      GlobalClock const& previous);

/// Offsets by the clock compared with offsets measured now: what the clocks have drifted apart since, and what they
/// were apart from the beginning. The same on all ranks but for `of_ranks`.
struct Residual {
    seconds largest{};  ///< |offset by the clock - offset measured now|: the largest over ranks
    seconds rms{};      ///< root of the mean square over ranks
    seconds bound{};    ///< guaranteed error of what was measured now: the largest over ranks
    /// The largest difference that what was measured now rules out as its own error: the clock's offset is not in the
    /// pair's [low, high]. 0 where there is none. For a clock that is not synchronised this asks whether zero is.
    seconds proven{};
    /// The largest difference that what was measured now does not rule out: to the farther end of a pair's [low, high].
    seconds possible{};
    /// Pairs that could not be compared: their round trips were longer than four times the longest that is normal for
    /// their kind, to the last try, or a clock was set meanwhile. Nothing is verified where this is not 0.
    std::int64_t poor = 0;
    /// [ranks] on the root, empty on the others: true minus estimated root time, s; NaN for ranks that were left out.
    std::vector<double> of_ranks{};
};

/// Measures the offsets again, whatever the synchroniser was, none included: d = 30, at most 32 ranks spread over the
/// communicator. Collective; nothing for one rank.
[[nodiscard]] std::optional<Residual> residual(Comm const& comm, GlobalClock const& clock);

/// Offset of `client` to `server`, measured by minimal round trips. Called by exactly these two ranks; through shared
/// memory only where the communicator has been synchronised that way before.
/// \return on the client what it found, on the server an empty value
/// \throws UsageError for ranks that do not exist or are one, and on any other rank
[[nodiscard]] PairOffset pair_offset(Comm const& comm, GlobalClock const& clock, int server, int client,
                                     PairOptions const& options = {});

}  // namespace measure
#pragma GCC visibility pop
