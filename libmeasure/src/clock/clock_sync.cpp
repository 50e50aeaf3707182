// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_sync.hpp"

#include "clock/own_net.hpp"
#include "clock/shared_lines.hpp"
#include "clock/synchronisers.hpp"
#include "clock/wait_until.hpp"
#include "core/hash.hpp"
#include "core/mpi_state.hpp"
#include "core/names.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <variant>
#include <vector>

namespace measure {

namespace {

/// A synchroniser with its name.
struct NamedSync {
    std::string_view name;
    Sync (*make)(PairOptions const& pair, std::optional<bool> drift);
};

/// Index of the name of a ring with plain sums.
constexpr std::size_t plain_ring = 9;

/// In the order of `detail::SyncVariant`, then `plain_ring`. `git grep -nw hca3` finds documents and tests for one.
constexpr std::array<NamedSync, 10> named_syncs{{
    {"none", [](PairOptions const&, std::optional<bool>) -> Sync { return NoSync{}; }},
    {"linear", [](PairOptions const& pair, std::optional<bool>) -> Sync { return LinearSync{pair}; }},
    {"ring", [](PairOptions const& pair, std::optional<bool>) -> Sync { return RingSync{.pair = pair}; }},
    {"tree", [](PairOptions const& pair, std::optional<bool>) -> Sync { return TreeSync{pair}; }},
    {"jk", [](PairOptions const& pair, std::optional<bool>) -> Sync { return JkSync{.pair = fit_pair(pair)}; }},
    {"hca3", [](PairOptions const& pair, std::optional<bool>) -> Sync { return Hca3Sync{.pair = fit_pair(pair)}; }},
    {"hier",
     [](PairOptions const& pair, std::optional<bool> drift) -> Sync { return HierSync{.pair = pair, .drift = drift}; }},
    {"auto",
     [](PairOptions const& pair, std::optional<bool> drift) -> Sync { return AutoSync{.pair = pair, .drift = drift}; }},
    {"global", [](PairOptions const& pair, std::optional<bool>) -> Sync { return GlobalSync{pair}; }},
    {"ring:plain",
     [](PairOptions const& pair, std::optional<bool>) -> Sync { return RingSync{.pair = pair, .plain = true}; }},
}};
static_assert(named_syncs.size() == std::variant_size_v<detail::SyncVariant>, "an OwnSync names itself");

constexpr auto names_of_syncs = [] {
    std::array<std::string_view, named_syncs.size()> names;
    std::ranges::transform(named_syncs, names.begin(), &NamedSync::name);
    return names;
}();

/// Messages of a synchroniser over MPI, with one timer of this rank and the stamp of local time zero.
template <Timer T>
class MpiNet {
public:
    /// \param lines  nullptr: all stamps are sent as messages
    /// \param step  resolution of the timer, by `seen_step`
    MpiNet(Comm const& comm, T const& timer, typename T::stamp origin, seconds step, std::uint64_t host,
           detail::SharedLines const* lines)
        : comm_{comm}, timer_{timer}, origin_{origin}, step_{step}, host_{host}, lines_{lines} {}

    [[nodiscard]] int rank() const { return comm_.rank(); }
    [[nodiscard]] int size() const { return comm_.size(); }
    [[nodiscard]] std::uint64_t host() const { return host_; }
    [[nodiscard]] double step() const { return step_.count(); }
    [[nodiscard]] typename T::stamp now() const { return timer_.now(); }
    [[nodiscard]] double local(typename T::stamp s) const { return timer_.between(origin_, s).count(); }
    void wait_until(double time) const {
        static_cast<void>(detail::spin_until(timer_, timer_.after(origin_, seconds{time}), comm_.oversubscribed()));
    }
    template <class V>
    void send(V const& value, int to, int tag) {
        static_assert(std::is_trivially_copyable_v<V>);
        comm_.send(&value, sizeof value, to, tag);
        ++messages_;
    }
    template <class V>
    int receive(V& value, int from) {
        static_assert(std::is_trivially_copyable_v<V>);
        return comm_.receive(&value, sizeof value, from, MPI_ANY_TAG);
    }
    [[nodiscard]] std::optional<detail::SharedLink> shared_link(int client, int peer) const {
        return lines_ != nullptr ? lines_->link(comm_, client, peer) : std::nullopt;
    }
    [[nodiscard]] std::vector<double> gather(double value) const { return comm_.gather(value); }
    [[nodiscard]] double scatter(std::span<double const> values) const { return comm_.scatter(values); }
    [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }

private:
    Comm const& comm_;
    T const& timer_;
    typename T::stamp origin_;
    seconds step_;
    std::uint64_t host_;
    detail::SharedLines const* lines_;
    std::int64_t messages_ = 0;
};

std::uint64_t host_fingerprint(Comm const& comm) {
    if (comm.is_solo())
        return 0;
    return detail::fnv1a(comm.host_name());
}

int count_hosts(Comm const& comm, std::uint64_t mine) {
    auto const all = comm.gather(mine);
    auto hosts = static_cast<int>(std::set(all.begin(), all.end()).size());
    comm.broadcast(hosts);
    return hosts;
}

/// Whether the timers of all ranks are machine clocks, so that the ranks of a host may share one. Whether they do is
/// determined from their exchanges, not by MPI. Collective.
bool is_machine_clock(Comm const& comm, AnyTimer const& timer) {
    auto const known = timer_names();
    bool const mine = std::find(known.begin(), known.end(), timer.name()) != known.end();
    return comm.max(mine ? 0 : 1) == 0;
}

/// \throws UsageError
void validate(Sync const& sync) {
    std::visit(
        [](auto const& s) {
            if constexpr (requires { s.fit; })
                if (s.fit.points < 3)
                    throw UsageError(fmt::format("a drift needs at least 3 points, not {}", s.fit.points));
        },
        sync);
}

/// Runs a synchroniser over `comm`.
template <Timer T>
struct OverMpi {
    Comm const& comm;
    T const& timer;
    typename T::stamp origin;
    seconds step;
    std::uint64_t host;
    bool machine_clock;
    double known = 0;  ///< best round trip so far of the pair in which this rank is the client, in seconds; 0: none
    std::int64_t messages = 0;

    detail::Found operator()(NoSync const&) { return {}; }
    detail::Found operator()(AutoSync const&) { return {}; }  // resolved earlier
    template <class S>
    detail::Found operator()(S const& sync) {
        auto net = over(comm, sync.pair);
        auto const found = detail::synchronise_on(net, sync, known);
        messages = net.messages();
        return found;
    }
    detail::Found operator()(OwnSync const& sync) {
        MpiNet<T> mine{comm, timer, origin, step, host, nullptr};
        detail::OwnNet<MpiNet<T>> net(comm, mine);
        auto const result = detail::run_own(comm, net, sync);
        messages = net.messages();
        return {.model = result.model, .bound = result.bound.count()};
    }
    detail::Found operator()(HierSync const& sync) {
        Comm const node = comm.node();
        auto const first = comm.split(node.rank() == 0 ? 0 : -1);
        auto inside = over(node, sync.pair);
        std::optional<MpiNet<T>> leaders;
        if (first)
            leaders.emplace(*first, timer, origin, step, host, nullptr);
        auto const found = detail::synchronise_hosts(leaders ? &*leaders : nullptr, inside, sync, machine_clock, known);
        messages = inside.messages() + (leaders ? leaders->messages() : 0);
        return found;
    }

private:
    [[nodiscard]] MpiNet<T> over(Comm const& c, PairOptions const& pair) const {
        bool const shares = pair.channel == OffsetChannel::shared;
        return {c, timer, origin, step, host, shares ? detail::SharedLines::of(c) : nullptr};
    }
};

/// Combines the findings of all ranks into the report.
void fill(SyncReport& report, Comm const& comm, detail::Found const& found, std::int64_t messages, double now) {
    auto const& pair = found.pair;
    report.bound = comm.max(found.bound);
    report.offset_max = comm.max(std::abs(found.model.offset_at(now)));
    report.consistent = comm.max(pair.inconsistent ? 1 : 0) == 0;
    report.edges = static_cast<std::int64_t>(comm.sum(found.asked ? 1 : 0));
    report.shared = static_cast<std::int64_t>(comm.sum(found.shared ? 1 : 0));
    report.poor = static_cast<std::int64_t>(comm.sum(found.poor ? 1 : 0));
    report.messages = static_cast<std::int64_t>(comm.sum(static_cast<double>(messages)));
    auto rtts = comm.gather(found.asked ? pair.rtt : -1.0);
    std::erase(rtts, -1.0);
    double told[] = {found.closure.value_or(0),       found.closure_bound,
                     found.closure ? 1.0 : 0.0,       rtts.empty() ? 0 : *std::min_element(rtts.begin(), rtts.end()),
                     rtts.empty() ? 0 : median(rtts), rtts.empty() ? 0 : *std::max_element(rtts.begin(), rtts.end())};
    comm.broadcast(told);
    if (told[2] != 0)
        report.closure = told[0];
    report.closure_bound = told[1];
    report.rtt_min = told[3];
    report.rtt_median = told[4];
    report.rtt_max = told[5];
    double const uncertainty = comm.max(found.model.error_at(now));
    double const rate = comm.max(std::abs(found.model.rate));
    if (uncertainty > 0 || rate > 0) {
        report.uncertainty = uncertainty;
        report.drift = rate * 1e6;
    }
}

}  // namespace

detail::Chain detail::chain_offsets(std::span<double const> edges, std::span<double const> bounds,
                                    std::span<double const> rtts, bool plain) {
    std::size_t const n = edges.size();
    Chain chain;
    chain.offsets.assign(n, 0);
    chain.bounds.assign(n, 0);
    double const all_bounds = std::accumulate(bounds.begin(), bounds.end(), 0.0);
    double all_weights = 0;
    for (double const r : rtts)
        all_weights += r * r;
    double sum = 0;
    for (std::size_t i = 1; i < n; ++i)
        chain.offsets[i] = sum += edges[i];
    chain.closure = sum + edges[0];

    double weights = 0;
    double along = 0;
    for (std::size_t i = 1; i < n; ++i) {
        double const s = chain.offsets[i];
        weights += rtts[i] * rtts[i];
        along += bounds[i];
        if (!plain && all_weights > 0)
            chain.offsets[i] -= chain.closure * weights / all_weights;
        // The offset is within `along` of the sum over the edges up to i, and within the remaining bounds of the sum in
        // the other direction. The guarantee is the larger distance to the ends of the intersection.
        double const rest = all_bounds - along;
        double const low = std::max(s - along, s - chain.closure - rest);
        double const high = std::min(s + along, s - chain.closure + rest);
        bool const contradiction = low > high + 1e-9 * all_bounds;  // beyond rounding errors
        chain.bounds[i] = contradiction ? std::abs(chain.closure) + all_bounds
                                        : std::max(chain.offsets[i] - low, high - chain.offsets[i]);
    }
    return chain;
}

Sync sync_from(std::string_view name, PairOptions const& pair, std::optional<bool> drift) {
    return named_syncs[detail::index_of("clock synchronisation", name, names_of_syncs)].make(pair, drift);
}

std::span<std::string_view const> sync_names() noexcept { return names_of_syncs; }

std::string_view name(Sync const& sync) noexcept {
    if (auto const* const own = std::get_if<OwnSync>(&sync))
        return own->name();
    auto const* const ring = std::get_if<RingSync>(&sync);
    return names_of_syncs[ring != nullptr && ring->plain ? plain_ring : sync.index()];
}

Sync detail::choose_sync(Sync const& sync, int ranks, int hosts) {
    constexpr int few = 32;
    constexpr seconds short_run{1};
    if (auto const* const hier = std::get_if<HierSync>(&sync))
        return HierSync{hier->pair, hier->drift.value_or(hosts > 1), hier->fit};
    auto const* const automatic = std::get_if<AutoSync>(&sync);
    if (automatic == nullptr)
        return sync;
    bool const drift = automatic->drift.value_or(hosts > 1 && automatic->expected > short_run);
    if (ranks > few || hosts == 1)
        return HierSync{.pair = automatic->pair, .drift = drift};
    if (drift)
        return JkSync{.pair = fit_pair(automatic->pair)};
    return LinearSync{automatic->pair};
}

Sync::Sync() noexcept = default;
Sync::Sync(NoSync sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(LinearSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(RingSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(TreeSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(JkSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(Hca3Sync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(HierSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(AutoSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(GlobalSync const& sync) noexcept : detail::SyncVariant(sync) {}
Sync::Sync(OwnSync sync) : detail::SyncVariant(std::move(sync)) {}
Sync::Sync(Sync const&) = default;
Sync::Sync(Sync&&) noexcept = default;
Sync& Sync::operator=(Sync const&) = default;
Sync& Sync::operator=(Sync&&) noexcept = default;
Sync::~Sync() = default;

GlobalClock::GlobalClock() = default;
GlobalClock::GlobalClock(GlobalClock const&) = default;
GlobalClock::GlobalClock(GlobalClock&&) noexcept = default;
GlobalClock& GlobalClock::operator=(GlobalClock const&) = default;
GlobalClock& GlobalClock::operator=(GlobalClock&&) noexcept = default;
GlobalClock::~GlobalClock() = default;

double GlobalClock::local_now() const {
    return timer_.visit([&](auto const& t) { return local_time(t, t.now()); });
}

seconds GlobalClock::now() const { return seconds{model_.to_root(local_now())}; }

seconds GlobalClock::age() const { return std::max(seconds{0}, seconds{local_now() - made_}); }

std::optional<seconds> GlobalClock::uncertainty() const {
    return report_.uncertainty ? std::optional{seconds{model_.error_at(local_now())}} : std::nullopt;
}

bool GlobalClock::is_young(std::optional<seconds> limit) const {
    bool const drifts = report_.hosts > 1 && !report_.drift;
    seconds const age{local_now() - made_};
    // The offset of a timer that went backwards is unknown.
    return !expired_ && age >= seconds{0} && age < limit.value_or(seconds{drifts ? 1.0 : 10.0});
}

/// The guaranteed bound at the clock's current age; infinite if nothing is guaranteed.
double GlobalClock::bound_now() const {
    constexpr double standard_errors = 3;
    if (!bound_ || expired_)
        return std::numeric_limits<double>::infinity();
    auto const line = uncertainty();
    return bound_->count() + (line ? standard_errors * line->count() : drift_allowance_ * age().count());
}

/// Whether on any rank the two clocks differ by more than both errors allow. Collective.
bool GlobalClock::is_contradicted(Comm const& comm, GlobalClock const& newer) const {
    // Each clock has its own origin; the difference on the root is that of the origins.
    double const mine = timer_.visit([&](auto const& t) {
        auto const stamp = t.now();
        return (root_time(t, stamp) - newer.root_time(t, stamp)).count();
    });
    double origins = mine;
    comm.broadcast(origins);
    return comm.max(std::abs(mine - origins) > bound_now() + newer.bound_now() ? 1 : 0) > 0;
}

GlobalClock GlobalClock::make(Comm const& comm, AnyTimer const& timer, Sync const& sync, GlobalClock const* previous) {
    detail::need_mpi(comm);
    validate(sync);
    GlobalClock clock;
    clock.timer_ = timer;
    clock.step_ = seen_step(timer);
    SyncReport& report = clock.report_;
    auto const host = host_fingerprint(comm);
    bool const machine_clock = is_machine_clock(comm, timer);
    report.hosts = count_hosts(comm, host);
    clock.ranks_ = comm.size();
    clock.drift_allowance_ = report.hosts == 1 && machine_clock ? 0 : detail::quartz_drift;
    Sync const chosen = detail::choose_sync(sync, comm.size(), report.hosts);
    report.algorithm = name(chosen);
    bool const comparable = previous != nullptr && previous->report_.algorithm == report.algorithm &&
                            previous->ranks_ == comm.size() && previous->timer_.name() == timer.name();
    if (comparable)
        clock.best_ = previous->best_;
    bool worse = false;
    timer.visit([&](auto const& t) {
        using T = std::remove_cvref_t<decltype(t)>;
        typename T::stamp origin = t.now();
        comm.broadcast(origin);
        clock.origin_ = detail::pack_stamp(origin);
        auto const begin = t.now();
        OverMpi<T> run{comm, t, origin, clock.step_, host, machine_clock, clock.best_};
        detail::Found found = comm.size() > 1 ? std::visit(run, chosen) : detail::Found{};
        auto const end = t.now();
        double const taken = std::max(0.0, t.between(begin, end).count());
        // A plain offset was correct when it was measured, but drifts while the other pairs are measured.
        if (found.bound > 0 && found.model.rate == 0)
            found.bound += clock.drift_allowance_ * taken;
        report.duration = comm.max(taken);
        clock.made_ = t.between(origin, end).count();
        clock.model_ = found.model;
        if (std::holds_alternative<NoSync>(chosen) && comm.size() > 1)
            return;
        clock.bound_ = seconds{found.bound};
        fill(report, comm, found, run.messages, clock.made_);
        worse = comm.max(found.worse ? 1 : 0) > 0;
        if (found.asked)
            clock.best_ = clock.best_ > 0 ? std::min(clock.best_, found.pair.rtt) : found.pair.rtt;
        clock.near_ = comm.max(found.asked && !found.remote ? clock.best_ : 0);
        clock.far_ = comm.max(found.asked && found.remote ? clock.best_ : 0);
    });
    if (!worse)
        return clock;
    // A pair can only be worse than an earlier measurement, so an earlier clock exists.
    double const old_bound = comm.max(previous->bound_now());
    if (!detail::keeps_older(worse, previous->is_contradicted(comm, clock), old_bound, report.bound.value_or(0))) {
        clock.poor_ = true;
        return clock;
    }
    GlobalClock kept = *previous;
    kept.best_ = clock.best_;
    kept.near_ = clock.near_;
    kept.far_ = clock.far_;
    ++kept.report_.kept;
    return kept;
}

GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync) {
    return GlobalClock::make(comm, timer, sync, nullptr);
}

GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync, GlobalClock const& previous) {
    return GlobalClock::make(comm, timer, sync, &previous);
}

PairOffset pair_offset(Comm const& comm, GlobalClock const& clock, int server, int client, PairOptions const& options) {
    detail::need_mpi(comm);
    for (int const rank : {server, client})
        if (rank < 0 || rank >= comm.size())
            throw UsageError(
                fmt::format("a pair needs two ranks below {}, not {} and {}", comm.size(), server, client));
    if (server == client || (comm.rank() != server && comm.rank() != client))
        throw UsageError(
            fmt::format("pair of {} and {}: must be two different ranks, and only these may call it, not rank {}",
                        server, client, comm.rank()));
    return clock.timer_.visit([&](auto const& t) {
        using T = std::remove_cvref_t<decltype(t)>;
        MpiNet<T> net(comm, t, detail::unpack_stamp<typename T::stamp>(clock.origin_), clock.step_, 0,
                      options.channel == OffsetChannel::shared ? detail::SharedLines::made(comm) : nullptr);
        constexpr int tries = detail::Walk<MpiNet<T>>::tries;
        if (comm.rank() == client)
            return detail::ask_pair(net, server, options, tries).offset;
        detail::serve_pair(net, client, {}, options, tries);
        return PairOffset{};
    });
}

std::optional<Residual> residual(Comm const& comm, GlobalClock const& clock) {
    detail::need_mpi(comm);
    if (comm.size() == 1)
        return std::nullopt;
    constexpr int sample = 32;
    constexpr seconds brief{2e-3};  // for ranks that share a core, where an exchange may take milliseconds
    int const looked_at = std::min(sample, comm.size() - 1);
    bool const shared = detail::SharedLines::of(comm) != nullptr;
    auto const host = host_fingerprint(comm);
    auto root_host = host;
    comm.broadcast(root_host);
    double const known = host == root_host ? clock.near_ : clock.far_;
    PairOptions options{.patience = 30};
    if (comm.oversubscribed())
        options.time_limit = brief;
    double const longest =
        known > 0 ? detail::poor_factor * known : detail::longest_sane(options, shared && host == root_host);
    options.poor = seconds{longest};

    double mine = comm.is_root() ? 0 : std::numeric_limits<double>::quiet_NaN();
    double bound = 0;
    double proven = 0;
    double not_ruled_out = 0;
    bool poor = false;
    for (int k = 1; k <= looked_at; ++k) {
        int const i = static_cast<int>(std::int64_t{k} * (comm.size() - 1) / looked_at);
        comm.barrier();
        if (!comm.is_root() && comm.rank() != i)
            continue;
        auto const pair = pair_offset(comm, clock, 0, i, options);
        if (comm.is_root())
            continue;
        double const by_clock = clock.model().offset_at(pair.when);
        mine = pair.offset - by_clock;
        bound = pair.bound();
        bool const possible =
            pair.inconsistent ? std::abs(mine) <= bound : pair.low <= by_clock && by_clock <= pair.high;
        proven = possible ? 0 : std::abs(mine);
        not_ruled_out = std::abs(mine) + bound;
        if (!pair.inconsistent)
            not_ruled_out = std::max(std::abs(pair.low - by_clock), std::abs(pair.high - by_clock));
        poor = possible && (pair.inconsistent || pair.rtt > longest);
    }
    double const error = std::isnan(mine) ? 0 : std::abs(mine);
    return Residual{.largest = seconds{comm.max(error)},
                    .rms = seconds{std::sqrt(comm.sum(error * error) / looked_at)},
                    .bound = seconds{comm.max(bound)},
                    .proven = seconds{comm.max(proven)},
                    .possible = seconds{comm.max(not_ruled_out)},
                    .poor = static_cast<std::int64_t>(comm.sum(poor ? 1 : 0)),
                    .of_ranks = comm.gather(mine)};
}

}  // namespace measure
