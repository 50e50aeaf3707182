// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_sync.hpp"

#include "hash.hpp"
#include "names.hpp"
#include "shared_lines.hpp"
#include "sync_walk.hpp"

#include <sched.h>

#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace measure {

namespace {

constexpr std::array<std::string_view, 8> sync_names{"none", "linear", "ring", "tree", "jk", "hca3", "hier", "auto"};

/// The messages of a synchroniser over MPI, with one timer of this rank and the stamp that counts as local time zero.
template <Timer T>
class MpiNet {
public:
    /// \param lines  null: all stamps are messages
    MpiNet(Comm const& comm, T const& timer, typename T::stamp origin, std::uint64_t host,
           detail::SharedLines const* lines)
        : comm_{comm}, timer_{timer}, origin_{origin}, host_{host}, lines_{lines} {}

    [[nodiscard]] int rank() const { return comm_.rank(); }
    [[nodiscard]] int size() const { return comm_.size(); }
    [[nodiscard]] std::uint64_t host() const { return host_; }
    [[nodiscard]] double step() const { return timer_.resolution().count(); }
    [[nodiscard]] typename T::stamp now() const { return timer_.now(); }
    [[nodiscard]] double local(typename T::stamp s) const { return timer_.between(origin_, s).count(); }
    void wait_until(double time) const {
        auto const end = timer_.after(origin_, seconds{time});
        while (timer_.now() < end)
            if (comm_.oversubscribed())
                sched_yield();
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
    std::uint64_t host_;
    detail::SharedLines const* lines_;
    std::int64_t messages_ = 0;
};

std::uint64_t host_fingerprint(Comm const& comm) {
    if (comm.is_solo())
        return 0;
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return detail::fnv1a({name.data(), static_cast<std::size_t>(length)});
}

int count_hosts(Comm const& comm, std::uint64_t mine) {
    auto const all = comm.gather(mine);
    auto hosts = static_cast<int>(std::set(all.begin(), all.end()).size());
    comm.broadcast(hosts);
    return hosts;
}

/// All ranks of a host read the same clock, as far as its kind tells. Collective.
bool is_shared(Comm const& comm, AnyTimer const& timer) {
    auto const kind = timer.name();
    bool shared = kind == "tsc" || kind == "monotonic" || kind == "monotonic_raw" || kind == "gettimeofday";
    if (kind == "mpi_wtime" && !comm.is_solo()) {
        int* global = nullptr;
        int found = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, static_cast<void*>(&global), &found);
        shared = found != 0 && *global != 0;
    }
    return comm.max(shared ? 0 : 1) == 0;
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
    std::uint64_t host;
    bool shared;
    std::int64_t messages = 0;

    detail::Found operator()(NoSync const&) { return {}; }
    detail::Found operator()(AutoSync const&) { return {}; }  // resolved before
    template <class S>
    detail::Found operator()(S const& sync) {
        auto net = over(comm, sync.pair);
        auto const found = detail::synchronise_on(net, sync);
        messages = net.messages();
        return found;
    }
    detail::Found operator()(HierSync const& sync) {
        Comm const node = comm.node();
        auto const first = comm.split(node.rank() == 0 ? 0 : -1);
        auto inside = over(node, sync.pair);
        std::optional<MpiNet<T>> leaders;
        if (first)
            leaders.emplace(*first, timer, origin, host, nullptr);
        auto const found = detail::synchronise_hosts(leaders ? &*leaders : nullptr, inside, sync, shared);
        messages = inside.messages() + (leaders ? leaders->messages() : 0);
        return found;
    }

private:
    [[nodiscard]] MpiNet<T> over(Comm const& c, PairOptions const& pair) const {
        bool const shares = pair.channel == OffsetChannel::shared;
        return {c, timer, origin, host, shares ? detail::SharedLines::of(c) : nullptr};
    }
};

/// What all ranks are told of what each found.
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
                                    std::span<double const> rtts, bool raw) {
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
        if (!raw && all_weights > 0)
            chain.offsets[i] -= chain.closure * weights / all_weights;
        // The offset lies within `along` of the sum over the edges up to i, and within the rest of the sum the other
        // way round: the guarantee is the farther end of what both allow.
        double const rest = all_bounds - along;
        double const low = std::max(s - along, s - chain.closure - rest);
        double const high = std::min(s + along, s - chain.closure + rest);
        bool const contradiction = low > high + 1e-9 * all_bounds;  // beyond rounding
        chain.bounds[i] = contradiction ? std::abs(chain.closure) + all_bounds
                                        : std::max(chain.offsets[i] - low, high - chain.offsets[i]);
    }
    return chain;
}

std::vector<std::string> SyncReport::warnings() const {
    std::vector<std::string> texts;
    if (poor > 0)
        texts.push_back(fmt::format("clock synchronisation: {} of {} pairs answered slowly to the last try (up to {}): "
                                    "clocks are known to {} only",
                                    poor, edges, text(seconds{rtt_max}), text(seconds{bound.value_or(0)})));
    if (!consistent)
        texts.push_back(fmt::format("clock synchronisation: a clock stepped while it was compared: clocks are known to "
                                    "{} only",
                                    text(seconds{bound.value_or(0)})));
    return texts;
}

OffsetEstimator offset_estimator_from(std::string_view name) {
    constexpr std::array<std::string_view, 2> names{"min-rtt", "envelope"};
    return detail::index_of("offset estimator", name, names) == 0 ? OffsetEstimator::min_rtt
                                                                  : OffsetEstimator::envelope;
}

Sync sync_from(std::string_view name, PairOptions const& pair, std::optional<bool> drift) {
    switch (detail::index_of("clock synchronisation", name, sync_names)) {
    case 0:
        return NoSync{};
    case 1:
        return LinearSync{pair};
    case 2:
        return RingSync{.pair = pair};
    case 3:
        return TreeSync{pair};
    case 4:
        return JkSync{.pair = fit_pair(pair)};
    case 5:
        return Hca3Sync{.pair = fit_pair(pair)};
    case 6:
        return HierSync{.pair = pair, .drift = drift};
    default:
        return AutoSync{.pair = pair, .drift = drift};
    }
}

std::string_view name(Sync const& sync) noexcept { return sync_names[sync.index()]; }

Sync detail::choose_sync(Sync const& sync, int ranks, int hosts, bool shared) {
    constexpr int few = 32;
    constexpr seconds short_run{1};
    if (auto const* const hier = std::get_if<HierSync>(&sync))
        return HierSync{hier->pair, hier->drift.value_or(hosts > 1), hier->fit};
    auto const* const automatic = std::get_if<AutoSync>(&sync);
    if (automatic == nullptr)
        return sync;
    bool const drift = automatic->drift.value_or(hosts > 1 && automatic->expected > short_run);
    if (ranks > few || (hosts == 1 && shared))
        return HierSync{.pair = automatic->pair, .drift = drift};
    if (drift)
        return JkSync{.pair = fit_pair(automatic->pair)};
    return LinearSync{automatic->pair};
}

double GlobalClock::local_now() const {
    return timer_.visit([&](auto const& t) { return local_time(t, t.now()); });
}

seconds GlobalClock::now() const { return seconds{model_.to_root(local_now())}; }

seconds GlobalClock::age() const { return seconds{local_now() - made_}; }

std::optional<seconds> GlobalClock::uncertainty() const {
    return report_.uncertainty ? std::optional{seconds{model_.error_at(local_now())}} : std::nullopt;
}

bool GlobalClock::is_young(std::optional<seconds> limit) const {
    bool const drifts = report_.hosts > 1 && !report_.drift;
    return age() < limit.value_or(seconds{drifts ? 1.0 : 10.0});
}

GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync) {
    validate(sync);
    GlobalClock clock;
    clock.timer_ = timer;
    SyncReport& report = clock.report_;
    auto const host = host_fingerprint(comm);
    bool const shared = is_shared(comm, timer);
    report.hosts = count_hosts(comm, host);
    Sync const chosen = detail::choose_sync(sync, comm.size(), report.hosts, shared);
    report.algorithm = name(chosen);
    timer.visit([&](auto const& t) {
        using T = std::remove_cvref_t<decltype(t)>;
        typename T::stamp origin = t.now();
        comm.broadcast(origin);
        clock.origin_ = detail::pack_stamp(origin);
        auto const begin = t.now();
        OverMpi<T> run{comm, t, origin, host, shared};
        detail::Found const found = comm.size() > 1 ? std::visit(run, chosen) : detail::Found{};
        auto const end = t.now();
        report.duration = comm.max(t.between(begin, end).count());
        clock.made_ = t.between(origin, end).count();
        clock.model_ = found.model;
        if (std::holds_alternative<NoSync>(chosen) && comm.size() > 1)
            return;
        clock.bound_ = seconds{found.bound};
        fill(report, comm, found, run.messages, clock.made_);
    });
    return clock;
}

PairOffset pair_offset(Comm const& comm, GlobalClock const& clock, int server, int client, PairOptions const& options) {
    for (int const rank : {server, client})
        if (rank < 0 || rank >= comm.size())
            throw UsageError(
                fmt::format("a pair of ranks below {} is measured, not {} and {}", comm.size(), server, client));
    if (server == client || (comm.rank() != server && comm.rank() != client))
        throw UsageError(fmt::format("two ranks measure the pair of {} and {}: it is called by these two, not by {}",
                                     server, client, comm.rank()));
    return clock.timer_.visit([&](auto const& t) {
        using T = std::remove_cvref_t<decltype(t)>;
        MpiNet<T> net(comm, t, detail::unpack_stamp<typename T::stamp>(clock.origin_), 0,
                      options.channel == OffsetChannel::shared ? detail::SharedLines::made(comm) : nullptr);
        constexpr int tries = detail::Walk<MpiNet<T>>::tries;
        if (comm.rank() == client)
            return detail::ask_pair(net, server, options, tries).offset;
        detail::serve_pair(net, client, {}, options, tries);
        return PairOffset{};
    });
}

std::optional<Residual> residual(Comm const& comm, GlobalClock const& clock) {
    if (comm.size() == 1 || !clock.synchronised())
        return std::nullopt;
    constexpr int sample = 32;
    int const looked_at = std::min(sample, comm.size() - 1);
    static_cast<void>(detail::SharedLines::of(comm));
    double mine = 0;
    for (int k = 1; k <= looked_at; ++k) {
        int const i = static_cast<int>(std::int64_t{k} * (comm.size() - 1) / looked_at);
        comm.barrier();
        if (comm.is_root() || comm.rank() == i) {
            auto const pair = pair_offset(comm, clock, 0, i, {.patience = 30});
            if (!comm.is_root())
                mine = std::abs(clock.model().offset_at(pair.when) - pair.offset);
        }
    }
    return Residual{seconds{comm.max(mine)}, seconds{std::sqrt(comm.sum(mine * mine) / looked_at)}};
}

}  // namespace measure
