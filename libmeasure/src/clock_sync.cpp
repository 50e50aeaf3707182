// SPDX-License-Identifier: BSD-3-Clause
#include "measure/clock_sync.hpp"

#include "names.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace measure {

namespace {

enum Tag : int { tag_probe = 1, tag_stop = 2, tag_reply = 3 };

constexpr std::array<std::string_view, 3> sync_names{"none", "linear", "ring"};
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One timer of this rank with the stamp that counts as local time zero.
template <Timer T>
struct LocalClock {
    T const& timer;
    typename T::stamp origin;
    [[nodiscard]] double at(typename T::stamp s) const { return timer.between(origin, s).count(); }
};

template <Timer T>
void serve(Comm const& comm, LocalClock<T> const& clock, int client) {
    double probe = 0;
    while (comm.receive(&probe, sizeof probe, client, MPI_ANY_TAG) != tag_stop) {
        double const p = clock.at(clock.timer.now());
        comm.send(&p, sizeof p, client, tag_reply);
    }
}

/// MPIPerf paper, section 5: RTT = b - a, o = p - RTT/2 - a, smallest RTT of all; beside it the envelope
/// L = max(p - b), U = min(p - a), which contains the offset whatever the delays were.
template <Timer T>
PairOffset ask_once(Comm const& comm, LocalClock<T> const& clock, int server, PairOptions const& options) {
    PairOffset best;
    best.rtt = infinity;
    best.low = -infinity;
    best.high = infinity;
    double const dummy = 0;
    int misses = 0;
    double const step = clock.timer.resolution().count();
    auto const first = clock.timer.now();
    for (int warm = options.warm_up;;) {
        double p = 0;
        auto const sa = clock.timer.now();
        comm.send(&dummy, sizeof dummy, server, tag_probe);
        comm.receive(&p, sizeof p, server, tag_reply);
        auto const sb = clock.timer.now();
        bool const out_of_time = clock.timer.between(first, sb) > options.time_limit;
        if (warm > 0 && !out_of_time) {
            --warm;
            continue;
        }
        double const a = clock.at(sa);
        double const b = clock.at(sb);
        double const rtt = clock.timer.between(sa, sb).count();
        best.low = std::max(best.low, p - b - step);
        best.high = std::min(best.high, p - a + step);
        ++best.exchanges;
        if (rtt < best.rtt) {
            best.rtt = rtt;
            best.offset = p - rtt / 2 - a;
            best.when = a + rtt / 2;
            misses = 0;
        } else {
            ++misses;
        }
        if (misses >= options.patience || best.exchanges >= options.at_most || out_of_time)
            break;
    }
    comm.send(&dummy, sizeof dummy, server, tag_stop);
    best.inconsistent = best.low > best.high;
    if (!best.inconsistent && options.estimator == OffsetEstimator::envelope)
        best.offset = (best.low + best.high) / 2;
    // Rounding may put the estimate of a symmetric exchange a hair outside its own envelope.
    if (!best.inconsistent)
        best.offset = std::clamp(best.offset, best.low, best.high);
    return best;
}

/// Exactly the two ranks call it. A pair whose bounds contradict each other, or whose round trips were all long (a rank
/// was not running), is measured again; the client says so, and keeps the best.
template <Timer T>
PairOffset measure_pair(Comm const& comm, LocalClock<T> const& clock, int server, int client,
                        PairOptions const& options) {
    constexpr int tries = 4;
    PairOffset best;
    for (int i = 0; i < tries; ++i) {
        int again = 0;
        if (comm.rank() == client) {
            PairOffset const found = ask_once(comm, clock, server, options);
            if (i == 0 || (best.inconsistent && !found.inconsistent) ||
                (best.inconsistent == found.inconsistent && found.rtt < best.rtt))
                best = found;
            again = best.inconsistent || best.rtt > options.poor.count();
            comm.send(&again, sizeof again, server, tag_stop);
        } else {
            serve(comm, clock, client);
            comm.receive(&again, sizeof again, client, tag_stop);
        }
        if (again == 0)
            break;
    }
    return best;
}

/// What a synchronisation finds on one rank.
struct Found {
    double offset = 0;
    double bound = 0;
    PairOffset pair{};  ///< the pair in which this rank was the client
    bool asked = false;
    std::optional<double> closure{};  ///< root
    double closure_bound = 0;         ///< root
};

template <Timer T>
Found linear(Comm const& comm, LocalClock<T> const& clock, LinearSync const& sync) {
    Found found;
    for (int i = 1; i < comm.size(); ++i) {
        comm.barrier();
        if (comm.is_root())
            measure_pair(comm, clock, 0, i, sync.pair);
        if (comm.rank() == i) {
            found.pair = measure_pair(comm, clock, 0, i, sync.pair);
            found.asked = true;
            found.offset = found.pair.offset;
            found.bound = found.pair.bound();
        }
    }
    return found;
}

template <Timer T>
Found ring(Comm const& comm, LocalClock<T> const& clock, RingSync const& sync) {
    int const n = comm.size();
    int const me = comm.rank();
    int const left = (me - 1 + n) % n;
    int const right = (me + 1) % n;
    Found found;
    comm.barrier();
    if (me % 2 == 0)
        measure_pair(comm, clock, me, right, sync.pair);
    found.pair = measure_pair(comm, clock, left, me, sync.pair);
    if (me % 2 != 0)
        measure_pair(comm, clock, me, right, sync.pair);
    found.asked = true;

    auto const edges = comm.gather(found.pair.offset);
    auto const bounds = comm.gather(found.pair.bound());
    auto const rtts = comm.gather(found.pair.rtt);
    std::vector<double> offsets;
    std::vector<double> guarantees;
    if (comm.is_root()) {
        auto const chain = detail::chain_offsets(edges, bounds, rtts, sync.raw);
        offsets = chain.offsets;
        guarantees = chain.bounds;
        found.closure = chain.closure;
        found.closure_bound = std::accumulate(bounds.begin(), bounds.end(), 0.0);
    }
    found.offset = comm.scatter(offsets);
    found.bound = comm.scatter(guarantees);
    return found;
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

OffsetEstimator offset_estimator_from(std::string_view name) {
    constexpr std::array<std::string_view, 2> names{"min-rtt", "envelope"};
    return detail::index_of("offset estimator", name, names) == 0 ? OffsetEstimator::min_rtt
                                                                  : OffsetEstimator::envelope;
}

Sync sync_from(std::string_view name, PairOptions const& pair) {
    switch (detail::index_of("clock synchronisation", name, sync_names)) {
    case 0:
        return NoSync{};
    case 1:
        return LinearSync{pair};
    default:
        return RingSync{.pair = pair};
    }
}

std::string_view name(Sync const& sync) noexcept { return sync_names[sync.index()]; }

seconds GlobalClock::now() const {
    return timer_.visit([&](auto const& t) { return root_time(t, t.now()); });
}

seconds GlobalClock::age() const { return now() - offset_ - made_; }

GlobalClock synchronise(Comm const& comm, AnyTimer const& timer, Sync const& sync) {
    GlobalClock clock;
    clock.timer_ = timer;
    clock.report_.algorithm = name(sync);
    timer.visit([&](auto const& t) {
        using Stamp = typename std::remove_cvref_t<decltype(t)>::stamp;
        Stamp origin = t.now();
        comm.broadcast(origin);
        clock.origin_ = detail::pack_stamp(origin);
        LocalClock<std::remove_cvref_t<decltype(t)>> const local{t, origin};
        auto const begin = t.now();
        Found found;
        if (comm.size() > 1) {
            if (auto const* l = std::get_if<LinearSync>(&sync))
                found = linear(comm, local, *l);
            else if (auto const* r = std::get_if<RingSync>(&sync))
                found = ring(comm, local, *r);
        }
        SyncReport& report = clock.report_;
        bool const nothing = std::holds_alternative<NoSync>(sync) && comm.size() > 1;
        report.duration = comm.max(t.between(begin, t.now()).count());
        clock.made_ = seconds{local.at(t.now())};
        clock.offset_ = seconds{found.offset};
        if (nothing)
            return;
        clock.bound_ = seconds{found.bound};
        report.bound = comm.max(found.bound);
        report.offset_max = comm.max(std::abs(found.offset));
        report.rtt_min = -comm.max(found.asked ? -found.pair.rtt : -infinity);
        report.rtt_max = comm.max(found.asked ? found.pair.rtt : 0);
        report.consistent = comm.max(found.pair.inconsistent ? 1 : 0) == 0;
        if (comm.size() == 1)
            report.rtt_min = 0;
        double closing[] = {found.closure.value_or(0), found.closure_bound, found.closure ? 1.0 : 0.0};
        comm.broadcast(closing);
        if (closing[2] != 0)
            report.closure = closing[0];
        report.closure_bound = closing[1];
    });
    return clock;
}

PairOffset pair_offset(Comm const& comm, GlobalClock const& clock, int server, int client, PairOptions const& options) {
    return clock.timer_.visit([&](auto const& t) {
        using T = std::remove_cvref_t<decltype(t)>;
        return measure_pair(comm, LocalClock<T>{t, detail::unpack_stamp<typename T::stamp>(clock.origin_)}, server,
                            client, options);
    });
}

std::optional<seconds> residual(Comm const& comm, GlobalClock const& clock) {
    if (comm.size() == 1 || !clock.synchronised())
        return std::nullopt;
    constexpr int sample = 32;
    int const looked_at = std::min(sample, comm.size() - 1);
    double worst = 0;
    for (int k = 1; k <= looked_at; ++k) {
        int const i = static_cast<int>(std::int64_t{k} * (comm.size() - 1) / looked_at);
        comm.barrier();
        if (comm.is_root() || comm.rank() == i) {
            auto const pair = pair_offset(comm, clock, 0, i, {.patience = 30});
            if (!comm.is_root())
                worst = std::max(worst, std::abs(clock.offset().count() - pair.offset));
        }
    }
    return seconds{comm.max(worst)};
}

}  // namespace measure
