// SPDX-License-Identifier: BSD-3-Clause
#include "b_eff/loops.hpp"

#include "b_eff/rules.hpp"

#include <measure/mpi_error.hpp>
#include <measure/run.hpp>
#include <measure/shuffle.hpp>
#include <measure/time_iterations.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace b_eff {

namespace {

/// Number of missed common starts after which a barrier begins the loop.
constexpr std::int64_t most_starts = 3;
/// Number of times that a loop is measured again because of its start or its clock.
constexpr int most_tries = 3;

}  // namespace

Loops::Loops(measure::Comm const& world, Setup const& setup, Mailbox& box)
    : world_{world}, setup_{setup}, box_{box}, teams_{world, setup.patterns}, counts_{world.size()} {
    find_exchanges();
}

/// Each rank keeps only its own neighbours in each polygon.
void Loops::find_exchanges() {
    measure::RandomOrders random{setup_.ranks, setup_.seed};
    for (Pattern const& p : setup_.patterns) {
        std::vector<int> order;
        if (p.family == Family::random) {
            if (world_.is_root())
                order = random.next();
            world_.broadcast(order);
        }
        auto const* const team = teams_[p.team];
        exchanges_.push_back(team != nullptr ? exchanges(p, team->rank(), order) : std::vector<Exchange>{});
        if (world_.is_root() && p.family == Family::random)
            orders_.push_back(std::move(order));
    }
}

void Loops::use(measure::AnyTimer const& timer, measure::seconds resolution, measure::Control control) {
    timer_ = timer;
    resolution_ = resolution;
    control_ = std::move(control);
    // A team must not leave a loop alone, so stop requests are exchanged together with the times of a loop.
    stop_ = std::exchange(control_.stop, nullptr);
    deadline_ = std::exchange(control_.deadline, std::nullopt);
}

void Loops::refresh() {
    if (setup_.slots)
        teams_.synchronise(timer_);
}

Joined Loops::measure(std::size_t pattern, Method method, std::size_t length, std::int64_t loop) {
    Pattern const& p = setup_.patterns[pattern];
    box_.open(setup_.lengths[length], length, setup_.check);
    Joined joined{.loop = loop, .by_barrier = !setup_.slots};
    int again = 0;
    for (int doublings = 0;;) {
        auto const mine = once(p, exchanges_[pattern], method, length, joined);
        control_.decision();
        switch (join(mine, p, {.doubled = doublings < most_doublings, .again = again < most_tries}, joined)) {
        case Next::done:
            return joined;
        case Next::doubled:
            joined.loop *= 2;
            ++doublings;
            break;
        case Next::by_barrier:
            ++again;
            joined.by_barrier = true;
            break;
        }
    }
}

Loops::Local Loops::once(Pattern const& p, std::span<Exchange const> exchanges, Method method, std::size_t length,
                         Joined const& joined) {
    auto const* const team = teams_[p.team];
    if (team == nullptr) {
        world_.barrier();
        return {};
    }
    Job job{.comm = team->native(), .exchanges = exchanges, .box = box_, .counts = counts_};
    counts_.set(exchanges, box_.bytes());
    auto const mine = joined.by_barrier ? by_barrier(job, method, length < warmed_up, joined.loop)
                                        : by_slot(job, method, *team, p.team, joined.loop);
    counts_.clear(exchanges);
    return mine;
}

Loops::Local Loops::by_barrier(Job& job, Method method, bool warm_up, std::int64_t loop) const {
    Local mine;
    with_operation(method, job, [&](auto operation) {
        control_.in_body(true);
        world_.barrier();
        if (warm_up)
            operation.body(measure::Iteration{.index = -1});
        auto const before = measure::kernel_counts();
        auto const timed = measure::time_iterations(timer_, operation, loop);
        mine.time = timed.total.count();
        mine.is_valid = !timed.is_backward();
        mine.counts = measure::kernel_counts() - before;
        control_.in_body(false);
    });
    mine.error = job.error;
    mine.page_faults = mine.counts.page_faults;
    mine.runs = loop;
    mine.warm_up = warm_up ? 1 : 0;
    return mine;
}

Loops::Local Loops::by_slot(Job& job, Method method, measure::Comm const& team, Team which, std::int64_t loop) const {
    world_.barrier();
    // A single sample provides no slot length for later ones, so the root announces its start.
    measure::Plan const plan{.timer = timer_,
                             .start = measure::RoundTimeStart{.clock = teams_.clock(which), .check = false},
                             .batch = measure::FixedCount{loop},
                             .stop = measure::stop::Count{.valid = 1, .at_most = most_starts},
                             .warm_up = 1,
                             .settling = {},
                             .limit = {},
                             .stage = 1,
                             .control = control_};
    return with_operation(method, job, [&](auto operation) {
        auto const m = measure::run(team, plan, operation);
        auto const& s = m.settling;
        return Local{.time = m.mine.mean * static_cast<double>(loop),
                     .is_valid = m.valid > 0,
                     .error = job.error,
                     .counts = {s.faults_counted, static_cast<double>(s.involuntary_switches)},
                     .page_faults = team.is_root() ? s.faults_all_ranks : 0,
                     .runs = m.attempts * loop,
                     .warm_up = s.runs};
    });
}

/// The root decides and broadcasts the decision.
Loops::Next Loops::join(Local const& mine, Pattern const& p, Allowed allowed, Joined& joined) {
    auto const defect = box_.take_defect();
    using Failure = Joined::Failure;
    Failure const fault = mine.error != MPI_SUCCESS ? Failure::mpi : defect ? Failure::data : Failure::none;
    bool const takes_part = teams_[p.team] != nullptr;
    constexpr double none = -std::numeric_limits<double>::infinity();
    enum : std::size_t { longest, minus_shortest, invalid, faults, halts, page_faults, switches, runs, warm_up, words };
    std::array<double, words> largest{};
    largest[longest] = takes_part ? mine.time : none;
    largest[minus_shortest] = takes_part ? -mine.time : none;
    largest[invalid] = mine.is_valid ? 0 : 1;
    largest[faults] = static_cast<double>(fault);
    largest[halts] = stop_ != nullptr && stop_->load() != 0 ? 1 : 0;
    largest[page_faults] = mine.counts.page_faults;
    largest[switches] = mine.counts.involuntary_switches;
    largest[runs] = static_cast<double>(mine.runs);
    largest[warm_up] = static_cast<double>(mine.warm_up);
    std::array sum{mine.time, mine.page_faults};
    world_.reduce_max(largest);
    world_.sum_to_root(sum);
    struct Word {
        Next next;
        Failure fault;
        bool halts;
    } word{Next::done, static_cast<Failure>(static_cast<int>(largest[faults])), largest[halts] > 0};
    if (world_.is_root()) {
        joined.time = {-largest[minus_shortest], sum[0] / p.processes, largest[longest]};
        joined.runs = static_cast<std::int64_t>(largest[runs]);
        joined.settling = {.runs = static_cast<std::int64_t>(largest[warm_up]),
                           .faults_counted = largest[page_faults],
                           .faults_all_ranks = sum[1],
                           .involuntary_switches = static_cast<std::int64_t>(largest[switches])};
        bool const is_valid = largest[invalid] == 0;
        // If no step of the clock was observed, the resolution can be 0, so a time of 0 is checked separately.
        bool const is_short = joined.time.max <= 0 || joined.time.max < timer_steps * resolution_.count();
        joined.is_resolved = is_valid && !is_short;
        joined.is_backward = !is_valid && joined.by_barrier;
        if (!is_valid)
            joined.time = {};
        word.halts = word.halts || (deadline_ && Clock::now() >= *deadline_);
        if (word.fault == Failure::none)
            word.next = !is_valid && allowed.again                ? Next::by_barrier
                        : is_valid && is_short && allowed.doubled ? Next::doubled
                                                                  : Next::done;
    }
    world_.broadcast(word);
    joined.fault = word.fault;
    joined.halts = word.halts;
    if (joined.fault != Failure::none)
        tell_fault(mine, defect, joined);
    return word.next;
}

/// Broadcasts the message of the first rank that has one.
void Loops::tell_fault(Local const& mine, std::optional<Defect> const& defect, Joined& joined) const {
    std::string text;
    if (mine.error != MPI_SUCCESS)
        text = fmt::format("rank {}: {}", world_.rank(), measure::MpiError(mine.error, "a message").what());
    else if (defect)
        text = fmt::format("rank {} received wrong data: {}", world_.rank(), defect->text());
    for (auto const& one : world_.gather(text))
        if (joined.text.empty())
            joined.text = one;
    world_.broadcast(joined.text);
}

}  // namespace b_eff
