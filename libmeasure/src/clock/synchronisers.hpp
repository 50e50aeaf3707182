// SPDX-License-Identifier: BSD-3-Clause
/// The synchronisers, as programs of one rank over a `Net`: MPI in the library, simulated clocks and messages in tests.
///
/// A Net has rank(), size(), host() (a fingerprint), step() of its clock, now() (a stamp), local(stamp) (local time in
/// seconds), wait_until(local time), send(value, to, tag), receive(value, from) (returns the tag), and the collectives
/// gather(double) ([size] on rank 0) and scatter(span). Optional: shared_link(client, peer), see `over_link`.
#pragma once

#include "clock/offset_search.hpp"
#include "clock/sync_pair.hpp"
#include "clock/sync_steps.hpp"
#include "measure/clock_sync.hpp"
#include "measure/error.hpp"
#include "measure/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace measure::detail {

/// Result of a synchronisation on one rank.
struct Found {
    ClockModel model{};
    double bound = 0;
    PairOffset pair{};  ///< the pair in which this rank was the client
    bool asked = false;
    bool remote = false;              ///< the pair spans hosts
    bool shared = false;              ///< the pair exchanged its stamps through memory
    bool poor = false;                ///< the pair's round trips were still long in the last try
    bool worse = false;               ///< the pair's round trips were long compared with the best one so far
    std::optional<double> closure{};  ///< root
    double closure_bound = 0;         ///< root
};

/// Adds the errors of the line that `line` was measured against. The squared errors are parabolas in time, and so is
/// their sum, which has its own anchor. Returns `line` with that anchor. \param above  the other line
/// \param its_anchor  in time of the clock of `line`
[[nodiscard]] inline ClockModel with_errors_of(ClockModel line, ClockModel const& above, double its_anchor) {
    double const rate_error = std::hypot(line.rate_error, above.rate_error);
    double const share = rate_error > 0 ? above.rate_error / rate_error * (above.rate_error / rate_error) : 0;
    double const apart = its_anchor - line.anchor;
    double const anchor = line.anchor + share * apart;
    return {.offset = line.offset_at(anchor),
            .rate = line.rate,
            .anchor = anchor,
            .offset_error =
                std::hypot(line.offset_error, above.offset_error, std::sqrt(share) * line.rate_error * apart),
            .rate_error = rate_error};
}

/// Parameters of a walk over the steps.
struct WalkPlan {
    std::vector<SyncStep> steps;
    PairOptions pair{};
    int visits = 1;      ///< number of passes over all steps
    int points = 1;      ///< measurements per step
    double span = 0;     ///< time from the first to the last measurement of a pair, in seconds
    bool local = false;  ///< servers answer with their own clock instead of root time
    double known = 0;    ///< best round trip so far of the pair in which this rank is the client, in seconds; 0: none
    [[nodiscard]] int measurements() const noexcept { return visits * points; }
};

template <class Net>
class Walk {
public:
    static constexpr int tries = 4;

    /// \param base  what is already known about this rank, as the root of the walk
    Walk(Net& net, WalkPlan plan, Found base = {}) : net_{net}, plan_{std::move(plan)}, found_{std::move(base)} {}

    Found run() {
        begin_ = local_now();
        for (int visit = 0; visit < plan_.visits; ++visit)
            for (auto const& step : plan_.steps)
                meet(step, visit);
        gate();
        if (!plan_.local)
            settle();
        return found_;
    }

private:
    [[nodiscard]] double local_now() { return net_.local(net_.now()); }
    [[nodiscard]] ClockModel serving() const { return plan_.local ? ClockModel{} : found_.model; }
    [[nodiscard]] int tries_per_point() const { return plan_.measurements() == 1 ? tries : 1; }

    void meet(SyncStep const& step, int visit) {
        double const begin = plan_.visits > 1 ? begin_ : local_now();
        for (int p = 0; p < plan_.points; ++p) {
            if (step.asks) {
                std::uint64_t host = 0;
                net_.receive(host, step.peer);
                found_.remote = host != net_.host();
                auto const asked = ask_pair(net_, step.peer, plan_.pair, tries_per_point());
                found_.shared = asked.shared;
                points_.push_back(asked.offset);
                continue;
            }
            int const k = visit * plan_.points + p;
            if (k > 0)
                net_.wait_until(begin + k * plan_.span / (plan_.measurements() - 1));
            // The client waits for this message, so that its questions do not interfere with the server's other
            // exchanges.
            net_.send(net_.host(), step.peer, tag_word);
            serve_pair(net_, step.peer, serving(), plan_.pair, tries_per_point());
        }
        if (step.asks && visit + 1 == plan_.visits)
            adopt();
    }

    /// After this, the rank answers with root time.
    void adopt() {
        asked_ = true;
        found_.asked = true;
        found_.pair = best_of(points_);
        found_.model = model_from(points_, plan_.known);
        edge_ = found_.model;
    }

    /// Repeats pairs that are poor within their class, up to three times. Servers continue to answer with their earlier
    /// offsets; corrections are propagated down the tree in `settle`. A line ignores its poor points instead.
    void gate() {
        int const repeats = plan_.measurements() == 1 ? tries - 1 : 0;
        for (int i = 0;; ++i) {
            double const flag = poor_flag();
            if (asked_) {
                found_.poor = flag > 0 || found_.pair.rtt > longest_sane(plan_.pair, found_.shared);
                found_.worse = is_worse(found_.pair.rtt, plan_.known);
            }
            if (flag < 0 || i == repeats)
                return;
            for (auto const& step : plan_.steps)
                again(step, flag > 0);
        }
    }

    /// 1 if this rank's pair is poor, 0 if only others are, -1 if no pair is.
    double poor_flag() {
        auto const rtts = net_.gather(asked_ ? found_.pair.rtt : -1.0);
        auto const classes = net_.gather(found_.remote ? 1.0 : 0.0);
        auto const known = net_.gather(plan_.known);
        std::vector<double> flags;
        if (net_.rank() == 0) {
            auto const poor = poor_pairs(rtts, classes, known);
            bool const any = std::find(poor.begin(), poor.end(), 1) != poor.end();
            for (char const flag : poor)
                flags.push_back(any ? flag : -1);
        }
        return net_.scatter(flags);
    }

    void again(SyncStep const& step, bool poor) {
        if (!step.asks) {
            bool wanted = false;
            net_.receive(wanted, step.peer);
            if (wanted)
                serve_pair(net_, step.peer, serving(), plan_.pair, 1);
            return;
        }
        net_.send(poor, step.peer, tag_word);
        if (!poor)
            return;
        auto const second = ask_pair(net_, step.peer, plan_.pair, 1).offset;
        if (!is_better(second, found_.pair))
            return;
        found_.pair = second;
        edge_ = {.offset = second.offset};
    }

    /// Corrections, guarantees and errors, accumulated from the root to the leaves.
    struct Word {
        double shift;
        double bound;
        ClockModel model;
    };

    void settle() {
        double shift = 0;
        for (auto const& step : plan_.steps) {
            if (!step.asks) {
                net_.send(Word{shift, found_.bound, found_.model}, step.peer, tag_word);
                continue;
            }
            Word above{};
            net_.receive(above, step.peer);
            shift = above.shift + edge_.offset - found_.model.offset;
            found_.model = edge_;
            found_.model.offset += above.shift;
            double const anchor = found_.model.to_local(above.model.to_root(above.model.anchor));
            found_.model = with_errors_of(found_.model, above.model, anchor);
            found_.bound = above.bound + bound_of_edge();
        }
    }

    [[nodiscard]] double bound_of_edge() const {
        PairOffset at = found_.pair;
        at.offset = edge_.offset_at(at.when);
        return at.bound();
    }

    Net& net_;
    WalkPlan plan_;
    Found found_;
    bool asked_ = false;  ///< within this walk; the leader of a host has already been a client among the leaders
    ClockModel edge_{};   ///< model of this rank relative to its server's answers
    std::vector<PairOffset> points_;
    double begin_ = 0;
};

// ---- the synchronisers; `known` is the best round trip so far of the pair in which this rank is the client, 0 for
// none

template <class Net>
Found synchronise_on(Net& net, LinearSync const& sync, double known = 0, Found base = {}) {
    return Walk(net, {.steps = linear_steps(net.rank(), net.size()), .pair = sync.pair, .known = known}, base).run();
}

template <class Net>
Found synchronise_on(Net& net, TreeSync const& sync, double known = 0) {
    return Walk(net, {.steps = tree_steps(net.rank(), net.size()), .pair = sync.pair, .known = known}).run();
}

template <class Net>
Found synchronise_on(Net& net, JkSync const& sync, double known = 0, Found base = {}) {
    return Walk(net,
                {.steps = linear_steps(net.rank(), net.size()),
                 .pair = sync.pair,
                 .visits = sync.fit.points,
                 .span = sync.fit.span.count(),
                 .known = known},
                base)
        .run();
}

template <class Net>
Found synchronise_on(Net& net, Hca3Sync const& sync, double known = 0) {
    return Walk(net, {.steps = tree_steps(net.rank(), net.size()),
                      .pair = sync.pair,
                      .points = sync.fit.points,
                      .span = sync.fit.span.count(),
                      .known = known})
        .run();
}

/// Whether the condition holds on all ranks. Same result on all ranks.
template <class Net>
bool all_of(Net& net, bool mine) {
    auto const votes = net.gather(mine ? 1.0 : 0.0);
    bool const all = std::find(votes.begin(), votes.end(), 0.0) == votes.end();
    return net.scatter(std::vector<double>(votes.size(), all ? 1.0 : 0.0)) > 0;
}

/// Accepts the timer as one global clock only if zero is a possible offset for every rank.
template <class Net>
Found synchronise_on(Net& net, GlobalSync const& sync, double known = 0) {
    Found found =
        Walk(net, {.steps = linear_steps(net.rank(), net.size()), .pair = sync.pair, .local = true, .known = known})
            .run();
    double const apart = net.rank() == 0 ? 0 : std::max({0.0, found.pair.low, -found.pair.high});
    auto const all = net.gather(apart);
    auto const worst = std::max_element(all.begin(), all.end());
    auto const told = [&](double value) { return net.scatter(std::vector<double>(all.size(), value)); };
    double const rank = told(all.empty() ? 0 : static_cast<double>(worst - all.begin()));
    double const most = told(all.empty() ? 0 : *worst);
    if (most > 0)
        throw UsageError(fmt::format("the timer is not one clock on all ranks: rank {:.0f} is at least {} from rank 0",
                                     rank, text(seconds{most})));
    found.model = {};
    found.bound = net.rank() == 0 ? 0 : std::max(found.pair.high, -found.pair.low);
    return found;
}

template <class Net>
Found ring_once(Net& net, RingSync const& sync, double known) {
    auto steps = ring_steps(net.rank(), net.size());
    Found found = Walk(net, {.steps = std::move(steps), .pair = sync.pair, .local = true, .known = known}).run();
    auto const edges = net.gather(found.pair.offset);
    auto const bounds = net.gather(found.pair.bound());
    auto const rtts = net.gather(found.pair.rtt);
    Chain chain;
    if (net.rank() == 0) {
        chain = chain_offsets(edges, bounds, rtts, sync.plain);
        found.closure = chain.closure;
        found.closure_bound = std::accumulate(bounds.begin(), bounds.end(), 0.0);
    }
    found.model = {.offset = net.scatter(chain.offsets)};
    found.bound = net.scatter(chain.bounds);
    return found;
}

/// Repeats the ring if the bounds of its edges do not allow the closure, because then a clock stepped during the
/// measurement.
template <class Net>
Found synchronise_on(Net& net, RingSync const& sync, double known = 0) {
    constexpr int tries = 3;
    for (int i = 1;; ++i) {
        Found found = ring_once(net, sync, known);
        bool const closes = std::abs(found.closure.value_or(0)) <= found.closure_bound;
        if (all_of(net, closes) || i == tries) {
            found.pair.inconsistent = found.pair.inconsistent || !closes;
            return found;
        }
    }
}

/// Synchronises the leaders, then each host. If the ranks of a host read the same clock and no exchange contradicts
/// this, they take over the leader's model unchanged. This detects containers and virtual machines with separate
/// clocks. \param leaders  first ranks of all hosts; nullptr on other ranks  \param shared  whether the ranks of a host
/// should have a common clock
template <class Net>
Found synchronise_hosts(Net* leaders, Net& host, HierSync const& sync, bool shared, double known = 0) {
    bool const drift = sync.drift.value_or(false);
    Found found;
    if (leaders != nullptr)
        found = drift ? synchronise_on(*leaders, Hca3Sync{fit_pair(sync.pair), sync.fit}, known)
                      : synchronise_on(*leaders, TreeSync{sync.pair}, known);
    if (host.size() == 1)
        return found;
    auto const steps = linear_steps(host.rank(), host.size());
    if (shared) {
        Found const near = Walk(host, {.steps = steps, .pair = sync.pair, .local = true, .known = known}).run();
        bool const equal = host.rank() == 0 || (near.pair.low <= 0 && 0 <= near.pair.high);
        if (all_of(host, equal)) {
            for (auto const& step : steps) {
                if (!step.asks) {
                    host.send(found, step.peer, tag_word);
                } else {
                    host.receive(found, step.peer);
                    found.pair = near.pair;
                    found.asked = true;
                    found.remote = near.remote;
                    found.shared = near.shared;
                    found.poor = near.poor;
                    found.worse = near.worse;
                    found.bound += std::max(near.pair.high, -near.pair.low);
                }
            }
            return found;
        }
    }
    return drift ? synchronise_on(host, JkSync{fit_pair(sync.pair), sync.fit}, known, found)
                 : synchronise_on(host, LinearSync{sync.pair}, known, found);
}

}  // namespace measure::detail
