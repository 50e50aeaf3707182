// SPDX-License-Identifier: BSD-3-Clause
/// Clock synchronisation: offset of a pair of clocks, the synchronisers, the global clock.
#pragma once

#include "measure/clock_model.hpp"
#include "measure/comm.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Which point in the interval of possible offsets is taken as the estimate.
enum class OffsetEstimator {
    min_rtt,   ///< middle of the exchange with the smallest round trip: MPIPerf paper, section 5
    envelope,  ///< middle of the tightest bounds over all exchanges; never a wider bound
};
[[nodiscard]] OffsetEstimator offset_estimator_from(std::string_view name);  ///< \throws UsageError

/// What the stamps of an exchange travel through.
enum class OffsetChannel {
    messages,  ///< MPI messages, as in the papers' methods
    shared,    ///< memory that the ranks of one host share: half of the round trip, less of the error. Messages
               ///< between hosts, and where there is no such memory
};

/// How one pair is measured.
struct PairOptions {
    int patience = 100;        ///< d: stop when the smallest round trip has not improved so often; >= 1
    int warm_up = 10;          ///< exchanges before the first that counts: the first contact opens the connection
    int at_most = 10000;       ///< exchanges
    seconds time_limit{0.25};  ///< of one try; what was exchanged until then counts
    seconds poor{100e-6};      ///< a pair whose smallest round trip is longer is measured up to three times more
    OffsetEstimator estimator = OffsetEstimator::envelope;  ///< by default never worse than the papers'
    /// The server then asks too, and the mean of both counts: what the two roles differ by (who asks may be slower on
    /// the way out than on the way back) cancels. The papers' methods measure one way.
    bool both_ways = true;
    OffsetChannel channel = OffsetChannel::shared;  ///< between ranks of one host
};

/// What the client of a pair found. T_server = T_client + offset; seconds.
struct PairOffset {
    double offset = 0;  ///< the estimate, within [low, high]
    double low = 0;     ///< the true offset lies in [low, high] if it was constant and delays are not negative;
                        ///< a step of the clock is allowed for
    double high = 0;    ///< see `low`
    double rtt = 0;     ///< smallest round trip
    double when = 0;    ///< local time of the best exchange
    std::int64_t exchanges = 0;  ///< that were made, without warm-up
    bool inconsistent = false;   ///< low > high: a clock stepped or drifted during the exchange
    /// Largest possible error of `offset`: its distance to the farther end of [low, high]. Where the bounds contradict
    /// each other, at least the contradiction.
    [[nodiscard]] double bound() const noexcept {
        return inconsistent ? low - high + rtt : std::max(high - offset, offset - low);
    }
};

/// No synchronisation: offsets are taken as zero and nothing is guaranteed.
struct NoSync {};
/// Ranks one after another against the root: cost O(n), bound rtt/2 (MPIPerf paper, section 5).
struct LinearSync {
    PairOptions pair{};  ///< how a rank and the root are measured
};
/// Each rank against its left neighbour, all pairs at once, offsets summed along the ring: cost O(1) + O(log n), bound
/// grows with the rank (MPIPerf paper, section 5). The closing edge is measured too: its closure is reported and
/// distributed over the edges by the squares of their round trips, unless `raw`.
struct RingSync {
    PairOptions pair{};  ///< how neighbours are measured
    bool raw = false;    ///< offsets are plain sums: the closure is only reported, as in the paper
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
    pair.patience = std::min(pair.patience, 20);
    pair.time_limit = std::min(pair.time_limit, seconds{0.02});
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
/// Tree (with `drift` HCA3) over the first ranks of all hosts, then each host by itself. Ranks of a host that read one
/// clock take over the leader's model, after exchanges have shown that zero is a possible offset; otherwise each is
/// measured against its leader.
struct HierSync {
    PairOptions pair{};           ///< how a pair is measured
    std::optional<bool> drift{};  ///< by default where there are several hosts
    FitOptions fit{};             ///< with `drift` only
};
/// One host whose ranks read one clock: hier. Otherwise linear up to 32 ranks (jk where drift matters), hier beyond.
/// Drift matters between hosts in a run longer than a second.
struct AutoSync {
    PairOptions pair{};           ///< handed to the algorithm chosen
    seconds expected{10};         ///< how long the clock will be used
    std::optional<bool> drift{};  ///< by default where it matters
};
/// How clocks are synchronised.
using Sync = std::variant<NoSync, LinearSync, RingSync, TreeSync, JkSync, Hca3Sync, HierSync, AutoSync>;

/// "none", "linear", "ring", "tree", "jk", "hca3", "hier", "auto" (any letter case).
/// \param drift  of "hier" and "auto", which choose it by themselves; the others are what they are
/// \throws UsageError with the known names
[[nodiscard]] Sync sync_from(std::string_view name, PairOptions const& pair = {}, std::optional<bool> drift = {});
[[nodiscard]] std::string_view name(Sync const& sync) noexcept;  ///< as `sync_from` takes it

/// How a synchronisation went. The same on all ranks but for the values marked "root".
struct SyncReport {
    std::string algorithm = "none";       ///< that was used: "auto" is resolved
    double duration = 0;                  ///< wall time, s
    std::optional<double> bound;          ///< largest guaranteed error over ranks, s; nothing for "none"
    std::optional<double> uncertainty{};  ///< largest standard error of a drift model's offset, s; else nothing
    std::optional<double> drift{};        ///< largest |rate| of a drift model, ppm
    std::optional<double> closure;        ///< ring of three or more edges, or of two: sum of all offsets; 0 if perfect
    double closure_bound = 0;             ///< sum of the half widths: |closure| above it means a broken pair
    double rtt_min = 0;                   ///< a pair's smallest round trip: smallest over pairs, s
    double rtt_median = 0;                ///< the same: median over pairs, s
    double rtt_max = 0;                   ///< the same: largest over pairs, s
    double offset_max = 0;                ///< largest |offset| over ranks, s
    bool consistent = true;     ///< no pair was inconsistent after its last try, and a ring closes within its bounds
    std::int64_t poor = 0;      ///< pairs whose round trips were long to the last try
    int hosts = 1;              ///< that the ranks are on
    std::int64_t edges = 0;     ///< pairs that were measured
    std::int64_t shared = 0;    ///< of them through the memory of a host
    std::int64_t messages = 0;  ///< sent from rank to rank, collective calls apart

    /// What a user should be told; empty where all is well.
    [[nodiscard]] std::vector<std::string> warnings() const;
};

/// A local timer and its offset to the root's: maps stamps of this rank to root time and back. A value; differs on
/// each rank; made by `synchronise`.
///
/// Local time is counted from an origin stamp that the root read and handed to all ranks: clocks that show the same
/// number at the same moment have offset zero. root_time = local_time + offset, where the offset may change linearly (a
/// `ClockModel`). In double precision a step is below 0.13 ns as long as the clocks differ by less than 10^6 s.
class GlobalClock {
public:
    /// Zero offset, origin zero, no bound: the clock of a rank that is alone.
    GlobalClock() = default;

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
    /// Guaranteed error of this rank's offset when it was measured; nothing where nothing is guaranteed. How wrong a
    /// drift model's line has become since then is estimated, not guaranteed: `uncertainty`.
    [[nodiscard]] std::optional<seconds> bound() const noexcept { return bound_; }
    /// Standard error of the drift model's offset now; nothing without a drift model.
    [[nodiscard]] std::optional<seconds> uncertainty() const;
    /// From local time, seconds after the origin, to root time.
    [[nodiscard]] ClockModel const& model() const noexcept { return model_; }
    /// Clocks were synchronised (also: a single rank, whose clock is the root's).
    [[nodiscard]] bool synchronised() const noexcept { return bound_.has_value(); }
    /// How the synchronisation went.
    [[nodiscard]] SyncReport const& report() const noexcept { return report_; }
    /// Time since the synchronisation, by this rank's clock.
    [[nodiscard]] seconds age() const;
    /// Young enough to be used. \param limit  by default 10 s, 1 s between hosts without a drift model
    [[nodiscard]] bool is_young(std::optional<seconds> limit = {}) const;
    /// The timer that it was made with.
    [[nodiscard]] AnyTimer const& timer() const noexcept { return timer_; }

private:
    friend GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync);
    friend PairOffset pair_offset(Comm const&, GlobalClock const&, int, int, PairOptions const&);
    template <Timer T>
    [[nodiscard]] double local_time(T const& timer, typename T::stamp s) const {
        return timer.between(detail::unpack_stamp<typename T::stamp>(origin_), s).count();
    }
    [[nodiscard]] double local_now() const;

    AnyTimer timer_{};
    std::int64_t origin_ = 0;  ///< the packed origin stamp
    ClockModel model_{};
    std::optional<seconds> bound_{};
    double made_ = 0;  ///< local time of the synchronisation
    SyncReport report_{};
};

namespace detail {
/// Offsets along a ring from its edges: what `RingSync` computes on the root.
struct Chain {
    std::vector<double> offsets;  ///< [ranks], of each rank to rank 0
    std::vector<double> bounds;   ///< [ranks], guaranteed errors
    double closure = 0;           ///< sum of all edges
};
/// o_i = e_1 + .. + e_i (MPIPerf paper, section 5); unless `raw`, the closure is distributed over the edges with
/// weights w_j = rtt_j^2: o_i - closure * (w_1 + .. + w_i) / (w_0 + .. + w_(n-1)). The squares put the correction on
/// the doubtful edge. A pure function. \param edges   [ranks] offset of rank i to its left neighbour; edges[0] is the
/// closing edge \param bounds  [ranks] guaranteed error of each edge \param rtts  [ranks] smallest round trip of each
/// edge
[[nodiscard]] Chain chain_offsets(std::span<double const> edges, std::span<double const> bounds,
                                  std::span<double const> rtts, bool raw);

/// What a synchroniser that chooses by itself does: `AutoSync`, and a `HierSync` that is not told whether to model
/// drift. \param shared  the timer is the host's: all its ranks read one clock
[[nodiscard]] Sync choose_sync(Sync const& sync, int ranks, int hosts, bool shared);
}  // namespace detail

/// Synchronises the clocks of all ranks to the root's. Collective. Memory per rank is constant but on the root.
[[nodiscard]] GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync = LinearSync{});

/// |offset by the clock - offset measured now| over ranks: what the clocks have drifted apart since.
struct Residual {
    seconds largest{};  ///< over ranks
    seconds rms{};      ///< root of the mean square over ranks
};

/// Measures the offsets again: d = 30, at most 32 ranks spread over the communicator. Collective; nothing where the
/// clock is not synchronised or there is one rank.
[[nodiscard]] std::optional<Residual> residual(Comm const& comm, GlobalClock const& clock);

/// Offset of `client` to `server`, measured by minimal round trips. Called by exactly these two ranks; through shared
/// memory only where the communicator has been synchronised that way before.
/// \return on the client what it found, on the server an empty value
/// \throws UsageError for ranks that do not exist or are one, and on any other rank
[[nodiscard]] PairOffset pair_offset(Comm const& comm, GlobalClock const& clock, int server, int client,
                                     PairOptions const& options = {});

}  // namespace measure
#pragma GCC visibility pop
