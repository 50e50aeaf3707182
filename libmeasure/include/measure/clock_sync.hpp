// SPDX-License-Identifier: BSD-3-Clause
/// Clock synchronisation: the synchronisers, the global clock, and the check of its offsets.
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

/// No synchronisation: all offsets are assumed to be zero, without a guaranteed bound.
struct NoSync {};
/// Measures one rank after another against the root (MPIPerf paper, section 5). Cost O(n). The bound is about half a
/// round trip.
struct LinearSync {
    PairOptions pair{};  ///< settings for each pair of a rank and the root
};
/// Measures each rank against its left neighbour, all pairs at once, and adds the offsets along the ring (MPIPerf
/// paper, section 5). Cost: the time of two or three pairs for any n, plus O(log n) for gathers and scatters. The bound
/// grows along the ring. The closure is the sum of the offsets of all pairs of the ring, ideally 0. It is reported and,
/// unless `plain`, spread over the pairs as a correction (see `detail::chain_offsets`).
struct RingSync {
    PairOptions pair{};  ///< settings for each pair of neighbours
    bool plain = false;  ///< use plain sums as offsets, as in the paper, and only report the closure
};
/// Measures each rank against its parent in a binomial tree. The parent answers with root time. Cost O(log n). Bounds
/// and errors add up over at most log2(n) + 1 pairs.
struct TreeSync {
    PairOptions pair{};  ///< settings for each pair of parent and child
};

/// How drift is measured: a line (`fit_drift`) through offsets of one pair that are spread over `span`.
struct FitOptions {
    int points = 30;    ///< number of offsets, >= 3
    seconds span{0.5};  ///< time from the first offset to the last, s
};
/// Limits `PairOptions::patience` to 20 exchanges and `PairOptions::time_limit` to 20 ms, because a fit measures each
/// pair many times.
[[nodiscard]] constexpr PairOptions fit_pair(PairOptions pair = {}) noexcept {
    if (pair.patience > 20)
        pair.patience = 20;
    if (pair.time_limit > seconds{0.02})
        pair.time_limit = seconds{0.02};
    return pair;
}

/// Fits the drift of each rank against the root (Jones and Koenig 2012). The points of all ranks are interleaved. Takes
/// one span, or longer if the exchanges of all ranks need more time: cost O(n).
struct JkSync {
    PairOptions pair = fit_pair();  ///< settings for each point of a fit
    FitOptions fit{};               ///< settings for the fit of each rank against the root
};
/// Fits the drift along the tree: each child fits its own line before it answers others. Cost O(log n) spans (Hunold
/// and Carpen-Amarie 2018).
struct Hca3Sync {
    PairOptions pair = fit_pair();  ///< settings for each point of a fit
    FitOptions fit{};               ///< settings for the fit of each child against its parent
};
/// Assumes that the timer is one clock on all ranks, as MPI_Wtime is if MPI_WTIME_IS_GLOBAL is true, and uses offset
/// zero. Each rank is measured against the root as a check. Cost O(n). `synchronise` throws UsageError on all ranks if
/// the measurement of at least one rank excludes the offset zero.
struct GlobalSync {
    PairOptions pair{};  ///< settings for the check of each rank
};
/// Synchronises the first rank of every host (its leader) with a tree, or with HCA3 if `drift`. Then the ranks of each
/// host are synchronised with their leader:
///
/// - If all ranks use a timer in `timer_names`, the ranks of a host may share one clock. To test this, each rank is
///   measured against its leader. If zero is a possible offset for every rank of the host, all copy the leader's model.
///   MPI_WTIME_IS_GLOBAL is not consulted.
/// - If not, or if zero is not possible for some rank of the host, the ranks are synchronised with their leader by
///   `LinearSync`, or by `JkSync` if `drift`.
struct HierSync {
    PairOptions pair{};           ///< settings for each pair
    std::optional<bool> drift{};  ///< model drift with fitted lines; by default if there are several hosts
    FitOptions fit{};             ///< settings for the fits; used with `drift` only
};
/// Chooses a synchroniser: `HierSync` on one host or with more than 32 ranks; otherwise `JkSync` if drift is modelled,
/// and `LinearSync` if not.
struct AutoSync {
    PairOptions pair{};           ///< settings for each pair, passed to the chosen synchroniser
    seconds expected{10};         ///< time for which the clock will be used, s
    std::optional<bool> drift{};  ///< model drift; by default on several hosts if `expected` is more than 1 s
};
namespace detail {
using SyncVariant =
    std::variant<NoSync, LinearSync, RingSync, TreeSync, JkSync, Hca3Sync, HierSync, AutoSync, GlobalSync, OwnSync>;
}
/// How clocks are synchronised: a variant of the synchronisers above and `OwnSync`. Its special members are compiled
/// once, in the library.
class Sync : public detail::SyncVariant {
public:
    Sync() noexcept;  ///< holds NoSync
    /// \{
    /// Holds the given synchroniser.
    Sync(NoSync sync) noexcept;             // NOLINT(google-explicit-constructor): as std::variant; also below
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
    /// Copies, moves or destroys the held synchroniser.
    Sync(Sync const&);
    Sync(Sync&&) noexcept;
    Sync& operator=(Sync const&);
    Sync& operator=(Sync&&) noexcept;
    ~Sync();
    /// \}
};

/// The synchroniser with the given name: "none", "linear", "ring", "ring:plain", "tree", "jk", "hca3", "hier", "auto"
/// or "global", in any letter case. Local.
/// \param pair   settings for each pair; "jk" and "hca3" apply `fit_pair` to them
/// \param drift  whether "hier" and "auto" model drift; empty: they decide. The other synchronisers ignore it
/// \throws UsageError for an unknown name; the text lists the known ones
[[nodiscard]] Sync sync_from(std::string_view name, PairOptions const& pair = {}, std::optional<bool> drift = {});
/// All names that `sync_from` accepts, in lower case.
[[nodiscard]] std::span<std::string_view const> sync_names() noexcept;
/// The name of a synchroniser, as `sync_from` accepts it. For an `OwnSync`, the name that it was given; it is valid as
/// long as `sync` exists.
[[nodiscard]] std::string_view name(Sync const& sync) noexcept;

struct Residual;

/// The global clock: maps stamps of this rank's timer to root time and back. It is made by `synchronise`. A copyable
/// value that differs between ranks.
///
/// The root reads its timer once and broadcasts this stamp, the origin. On every rank, local time is the reading
/// of this rank's timer minus the origin. So clocks that show the same number at the same moment have offset zero.
/// root_time = local_time + offset, where the offset may change linearly (`ClockModel`). In double precision the
/// rounding step is below 0.13 ns if the clocks differ by less than 10^6 s.
class GlobalClock {
public:
    /// A clock with offset zero, origin zero and no bound; it is not synchronised.
    GlobalClock();
    /// \{
    /// Copies, moves or destroys the value.
    GlobalClock(GlobalClock const&);
    GlobalClock(GlobalClock&&) noexcept;
    GlobalClock& operator=(GlobalClock const&);
    GlobalClock& operator=(GlobalClock&&) noexcept;
    ~GlobalClock();
    /// \}

    /// Root time of a local stamp, in seconds after the origin. `timer` must be the one of the synchronisation.
    template <Timer T>
    [[nodiscard]] seconds root_time(T const& timer, typename T::stamp s) const {
        return seconds{model_.to_root(local_time(timer, s))};
    }
    /// The local stamp at the given root time, in seconds after the origin. Inverse of `root_time`.
    template <Timer T>
    [[nodiscard]] typename T::stamp local_stamp(T const& timer, seconds root_time) const {
        return timer.after(detail::unpack_stamp<typename T::stamp>(origin_),
                           seconds{model_.to_local(root_time.count())});
    }
    /// Converts a duration by this rank's clock to root time. Without a drift model both are equal.
    [[nodiscard]] seconds root_duration(seconds local) const noexcept { return local * (1 + model_.rate); }
    /// Converts a duration in root time to this rank's clock. Inverse of `root_duration`.
    [[nodiscard]] seconds local_duration(seconds root) const noexcept { return root / (1 + model_.rate); }
    /// Current root time, in seconds after the origin. Not for timed regions: it selects the timer at run time.
    [[nodiscard]] seconds now() const;

    /// Root time minus local time at the synchronisation, s.
    [[nodiscard]] seconds offset() const noexcept { return seconds{model_.offset_at(made_)}; }
    /// Guaranteed maximum error of this rank's offset at the synchronisation, s; nothing without a guarantee. The
    /// guarantee assumes that no delay is negative and no clock is set.
    ///
    /// - Without a drift model, the bound includes a drift of 50 ppm against the root during the synchronisation. It is
    ///   not guaranteed for a larger drift, for example if two clocks are wrong by 50 ppm in opposite directions. If
    ///   all ranks are on one host and the timer is in `timer_names`, no drift is assumed.
    /// - With a drift model, the bound applies at the time of each pair's best exchange. Later, the error may exceed
    ///   the bound: see `uncertainty`, which is an estimate without a guarantee.
    [[nodiscard]] std::optional<seconds> bound() const noexcept { return bound_; }
    /// Standard error of the drift model's offset at the current time, s; nothing without a drift model.
    [[nodiscard]] std::optional<seconds> uncertainty() const;
    /// Maps local time to root time, both in seconds after the origin.
    [[nodiscard]] ClockModel const& model() const noexcept { return model_; }
    /// Whether the clocks are synchronised. Always true after `synchronise` on a single rank.
    [[nodiscard]] bool synchronised() const noexcept { return bound_.has_value(); }
    /// Algorithm, quality and cost of the synchronisation.
    [[nodiscard]] SyncReport const& report() const noexcept { return report_; }
    /// Time since the synchronisation by this rank's clock, s; 0 if that clock went back to before the synchronisation.
    [[nodiscard]] seconds age() const;
    /// Whether the clock is recent enough to be used.
    /// \param limit  maximum age; by default 10 s, but 1 s on several hosts without a drift model
    [[nodiscard]] bool is_young(std::optional<seconds> limit = {}) const;
    /// Whether the synchronisation was unusually poor: some pair was too slow, and the earlier clock was not better
    /// (see `synchronise` with `previous`). Starts by this clock may be less exact than the network allows. The same on
    /// all ranks.
    [[nodiscard]] bool is_poor() const noexcept { return poor_; }
    /// Marks this clock as wrong, so that it is not young any more. The next `synchronise` with this clock as
    /// `previous` uses its shortest round trips to judge pairs, but never keeps its model. Local. Whether `run`
    /// synchronises again depends on the root's clock.
    void expire() noexcept { expired_ = true; }
    /// The timer of the synchronisation.
    [[nodiscard]] AnyTimer const& timer() const noexcept { return timer_; }
    /// Step of the timer on this rank in s, measured with `seen_step` at the synchronisation.
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
    double drift_allowance_ = 0;  ///< assumed largest drift without a drift model, s/s
    double best_ = 0;             ///< best round trip ever seen for the pair in which this rank asks, s; 0: none
    double near_ = 0;             ///< longest `best_` of all pairs within a host, s; 0: none
    double far_ = 0;              ///< longest `best_` of all pairs between hosts, s; 0: none
    bool poor_ = false;
    bool expired_ = false;
};

namespace detail {
/// Offsets of the ranks of a ring, computed by `RingSync` on the root. Seconds.
struct Chain {
    std::vector<double> offsets;  ///< [ranks] offset of each rank to rank 0
    std::vector<double> bounds;   ///< [ranks] guaranteed maximum errors
    double closure = 0;           ///< sum of all edges
};
/// The sums o_i = e_1 + .. + e_i (MPIPerf paper, section 5). Unless `plain`, the closure is distributed over the edges
/// with weights w_j = rtt_j^2: o_i - closure * (w_1 + .. + w_i) / (w_0 + .. + w_(n-1)). Pure.
/// \param edges   [ranks] offset of rank i to its left neighbour; edges[0] closes the ring
/// \param bounds  [ranks] guaranteed maximum error of each edge
/// \param rtts    [ranks] smallest round trip of each edge
[[nodiscard]] Chain chain_offsets(std::span<double const> edges, std::span<double const> bounds,
                                  std::span<double const> rtts, bool plain);

/// Resolves an `AutoSync`, and a `HierSync` without a value for `drift`. Others are returned unchanged. Pure.
[[nodiscard]] Sync choose_sync(Sync const& sync, int ranks, int hosts);

/// Whether the older clock is kept instead of the newer one. Pure.
/// \param worse         some pair of the newer clock was slow compared with the best round trip ever seen for it
/// \param contradicted  the offsets differ by more than both bounds together: somebody set one of the clocks
/// \param old_bound     bound of the older clock at its current age, s
/// \param new_bound     bound of the newer clock, s
[[nodiscard]] constexpr bool keeps_older(bool worse, bool contradicted, double old_bound, double new_bound) noexcept {
    return worse && !contradicted && old_bound < new_bound;
}
}  // namespace detail

/// Synchronises the clocks of all ranks with the root's. Collective. Memory per rank is constant, except on the root.
/// \throws UsageError for a fit with fewer than 3 points, and if the timers contradict a `GlobalSync`
/// \throws BodyError on all ranks if an `OwnSync` fails on any rank
[[nodiscard]] GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync = LinearSync{});

/// Synchronises again, but keeps the earlier clock if the new one would be less exact. Collective.
///
/// A pair is too slow if its shortest round trip is more than four times the shortest that was ever seen for this pair.
/// Such a pair is measured again, up to three times. If it remains too slow, one of the clocks is returned:
///
/// - the earlier clock, if its bound at its current age is smaller and the two clocks do not contradict each other;
/// - otherwise the new clock, and `is_poor()` is true.
///
/// The clocks contradict each other if they differ by more than both bounds together. With a drift model, the bound of
/// the earlier clock is increased by three standard errors of its current offset (`uncertainty`). Without a drift
/// model, the bound grows by 50 ppm, or not at all on one host with a timer in `timer_names`.
/// \param previous  an earlier clock; ignored if its number of ranks, its timer or its algorithm differs
[[nodiscard]] GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync,
                                      GlobalClock const& previous);

/// Comparison of a clock's offsets with newly measured ones. The differences contain the initial error of the
/// synchronisation and the drift since then. The same on all ranks, except `of_ranks`.
struct Residual {
    seconds largest{};  ///< largest |offset by the clock - offset measured now| over ranks
    seconds rms{};      ///< root mean square of this difference over the ranks that were measured
    seconds bound{};    ///< largest guaranteed error of the new offsets over ranks
    /// Largest |difference| that the error of the new offset cannot explain. Counts only ranks for which the clock's
    /// offset is not in [`PairOffset::low`, `PairOffset::high`]. 0 without such a rank. A clock that is not
    /// synchronised is tested for offset zero.
    seconds proven{};
    /// Largest possible difference: distance of the clock's offset to the farther end of this interval.
    seconds possible{};
    /// Number of pairs that could not be compared, because a clock was set during the measurement or all round trips
    /// were too long. The limit is four times the largest value of "shortest round trip ever seen for a pair" over all
    /// pairs of the same kind (within a host, or between hosts). If `poor` is not 0, the clock is not verified.
    std::int64_t poor = 0;
    /// True minus estimated root time, s: [ranks] on the root, empty on the others. NaN for ranks that were not
    /// measured.
    std::vector<double> of_ranks{};
};

/// Measures the offsets to the root again, one rank after another, for any synchroniser including NoSync. Measures at
/// most 32 ranks, spread over the communicator, with a `PairOptions::patience` of 30. Collective.
/// \return nothing for a communicator of one rank
[[nodiscard]] std::optional<Residual> residual(Comm const& comm, GlobalClock const& clock);

/// Measures the offset of `client` to `server`. Exactly these two ranks call it. Shared memory is used only if the
/// communicator has already been synchronised through it.
/// \return the offset on the client, a default value on the server
/// \throws UsageError if a rank does not exist, if both are the same, and on any other rank
[[nodiscard]] PairOffset pair_offset(Comm const& comm, GlobalClock const& clock, int server, int client,
                                     PairOptions const& options = {});

}  // namespace measure
#pragma GCC visibility pop
