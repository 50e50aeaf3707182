// SPDX-License-Identifier: BSD-3-Clause
/// The synchronisers as programs of one rank over a `Net`: MPI in the library, simulated clocks and messages in tests.
///
/// A Net has rank(), size(), host() (a fingerprint), step() of its clock, now() (a stamp), local(stamp) (local time,
/// s), wait_until(local time), send(value, to, tag), receive(value, from) (the tag), and the collectives gather(double)
/// ([size] on rank 0) and scatter(span); perhaps shared_link(client, peer), see `over_link`.
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

/// What a synchronisation finds on one rank.
struct Found {
    ClockModel model{};
    double bound = 0;
    PairOffset pair{};  ///< the pair in which this rank was the client
    bool asked = false;
    bool remote = false;              ///< the pair spans hosts
    bool shared = false;              ///< the pair exchanged its stamps through memory
    bool poor = false;                ///< the pair's round trips were long to the last try
    bool worse = false;               ///< they were, beside the best that was ever seen for the pair
    std::optional<double> closure{};  ///< root
    double closure_bound = 0;         ///< root
};

/// A line that was measured against another has the errors of both. Their squares are parabolas in time, and so is the
/// sum, around an anchor of its own. The same line, so anchored.
/// \param above  the other line  \param its_anchor  by the clock of `line`
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

/// How the steps are walked.
struct WalkPlan {
    std::vector<SyncStep> steps;
    PairOptions pair{};
    int visits = 1;      ///< times that all steps are walked
    int points = 1;      ///< measurements per meeting
    double span = 0;     ///< from the first to the last measurement of a pair, s
    bool local = false;  ///< servers answer with their own clock, not with root time
    double known = 0;    ///< the best round trip ever seen for the pair in which this rank asks, s; 0: none
    [[nodiscard]] int measurements() const noexcept { return visits * points; }
};

template <class Net>
class Walk {
public:
    static constexpr int tries = 4;

    /// \param base  what this rank, as the walk's root, already knows of itself
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
            // The server's word lets the client begin: until then it keeps out of the server's messages.
            net_.send(net_.host(), step.peer, tag_word);
            serve_pair(net_, step.peer, serving(), plan_.pair, tries_per_point());
        }
        if (step.asks && visit + 1 == plan_.visits)
            adopt();
    }

    /// From here on this rank answers with root time.
    void adopt() {
        asked_ = true;
        found_.asked = true;
        found_.pair = best_of(points_);
        found_.model = model_from(points_, plan_.known);
        edge_ = found_.model;
    }

    /// Pairs that are poor among those of their class are measured again, up to three times. Servers go on answering
    /// by what they knew before: what changed comes down the tree in `settle`. A line leaves out its poor points.
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

    /// 1 where this rank's pair is poor, 0 where only others are, -1 where none is.
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

    /// Corrections, guarantees and errors add up from the root to the leaves.
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
    bool asked_ = false;  ///< in this walk: a host's leader comes with what it asked among the leaders
    ClockModel edge_{};   ///< of this rank to its server's answers
    std::vector<PairOffset> points_;
    double begin_ = 0;
};

// ---- the synchronisers; `known` is the best round trip ever seen for the pair in which this rank asks, 0 for none

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

/// True on all ranks if it is on each of them.
template <class Net>
bool all_of(Net& net, bool mine) {
    auto const votes = net.gather(mine ? 1.0 : 0.0);
    bool const all = std::find(votes.begin(), votes.end(), 0.0) == votes.end();
    return net.scatter(std::vector<double>(votes.size(), all ? 1.0 : 0.0)) > 0;
}

/// The timer is believed to be one clock only where zero is a possible offset for every rank.
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

/// A closure that the bounds of the edges do not allow means that a clock stepped on the way around: it is measured
/// again.
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

/// Leaders first, then each host. Where the host's ranks read one clock, and no exchange contradicts that, its ranks
/// take over the leader's model as it is; containers and virtual machines with clocks of their own are found out.
/// \param leaders  the first ranks of all hosts; null on other ranks  \param shared  the clock should be the host's
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
