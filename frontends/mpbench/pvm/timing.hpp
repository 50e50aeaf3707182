// SPDX-License-Identifier: BSD-3-Clause
/// Timing: how the tasks of a test measure one size together, without MPI. Everything here is collective over the
/// transport.
#pragma once

#include "llcbench/flush.hpp"
#include "llcbench/points.hpp"
#include "operations.hpp"
#include "pvm/agreement.hpp"
#include "rules.hpp"

#include <measure/control.hpp>
#include <measure/error.hpp>
#include <measure/kernel_counts.hpp>
#include <measure/loop.hpp>
#include <measure/measurement.hpp>
#include <measure/settle.hpp>
#include <measure/statistics.hpp>
#include <measure/stopping.hpp>
#include <measure/timer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace mpbench {

/// What a task measures with. All of it outlives the calls.
struct Stopwatch {
    measure::AnyTimer const& timer;
    measure::seconds resolution{};  ///< the master's counts
    llcbench::Flush* flush = nullptr;
    measure::Control control{};
};

/// One loop as a task saw it.
struct Loop {
    measure::seconds time{0};  ///< of all iterations
    measure::KernelCounts counts{};
    bool succeeded = true;
};

/// What a size's loops took. Complete on the master.
struct Timed {
    std::int64_t iterations = 1;         ///< of each loop
    std::vector<double> times{};         ///< s per iteration on the master, one for each loop
    std::vector<double> tasks{};         ///< [tasks], s per iteration, means over the loops
    measure::SettlingReport settling{};  ///< of the loops that count
    measure::Decision decision{};        ///< why there are not more loops
    measure::seconds elapsed{0};         ///< in all, with what is not timed
    measure::seconds resolution{0};      ///< of the timer
    bool succeeded = true;               ///< no call failed on any task
};

/// The same as the library's own runs report it.
[[nodiscard]] inline measure::Measurement measurement(Timed const& timed) {
    if (!timed.succeeded) {
        measure::Measurement failed{.verdict = measure::Verdict::no_valid_samples, .elapsed = timed.elapsed.count()};
        failed.attempts = failed.invalid.failed = 1;
        failed.note = "a call reported an error";
        return failed;
    }
    auto m = llcbench::measurement(timed.times, timed.decision, timed.elapsed);
    m.iterations_per_sample = timed.iterations;
    m.combine = measure::Combine::root;
    m.settling = timed.settling;
    m.settling.runs_counted = m.attempts * timed.iterations;
    if (measure::is_unsettled(m.settling.faults_counted, static_cast<double>(m.settling.runs_counted)))
        m.flag("unsettled");
    if (!timed.tasks.empty()) {
        auto const [low, high] = std::minmax_element(timed.tasks.begin(), timed.tasks.end());
        m.over_ranks = measure::OverRanks{*low, measure::mean(timed.tasks), *high};
    }
    return m;
}

/// Whether the slave still acknowledges when the clock has stopped, so that the master cannot run ahead.
[[nodiscard]] constexpr bool answers_untimed(Kind kind) noexcept { return kind == Kind::latency; }

/// What comes behind the loop, untimed.
template <Transport T>
bool settle(T& t, Kind kind) {
    if (!answers_untimed(kind))
        return true;
    return t.rank() == 0 ? await_answer(t, t.size() - 1, tag::answer) : answer(t, tag::answer);
}

/// Barrier, `n` iterations between two readings, barrier. With `flush_each` every iteration has a flush, a barrier and
/// readings of its own, and the loop's time is their sum.
template <Transport T>
[[nodiscard]] Loop time_loop(T& t, Kind kind, Message const& m, std::int64_t n, bool flush_each,
                             Stopwatch const& watch) {
    Loop loop;
    for (std::int64_t left = n; left > 0; left -= flush_each ? 1 : n) {
        if (flush_each)
            (*watch.flush)();
        std::int64_t const length = flush_each ? 1 : n;
        loop.succeeded &= make_ready(t, kind, m, length) && t.barrier();
        with_operation(t, kind, m, [&](auto operation) {
            auto const before = measure::kernel_counts();
            auto const timed = measure::time_loop(watch.timer, operation, length);
            loop.counts += measure::kernel_counts() - before;
            loop.time += timed.total;
            loop.succeeded &= timed.succeeded;
        });
        loop.succeeded &= settle(t, kind);
    }
    loop.succeeded &= t.barrier();
    return loop;
}

namespace detail {

/// A size under way: what the master decides, and the others follow.
template <Agreeing T>
class Timing {
public:
    Timing(T& t, Kind kind, Message const& m, Rules const& rules, Stopwatch const& watch, bool flush)
        : t_{t}, kind_{kind}, message_{m}, rules_{rules}, watch_{watch}, flush_{flush} {}

    [[nodiscard]] Timed measure() {
        timed_.resolution = watch_.resolution;
        timed_.iterations = first_length();
        Loop loop = measure_first_loop();
        for (auto n = agreed(next_length(loop)); n > timed_.iterations; n = agreed(next_length(loop))) {
            timed_.iterations = n;
            loop = measure_first_loop();
        }
        for (keep(loop); agreed(decide()) != 0; keep(loop))
            loop = measure_loop(timed_.iterations);
        for (double& time : timed_.tasks)
            time /= static_cast<double>(timed_.times.size());
        timed_.elapsed = Clock::now() - begun_;
        return std::move(timed_);
    }

private:
    using Clock = std::chrono::steady_clock;

    /// What a task tells of a loop: time per iteration, and what else the master must know.
    enum : std::size_t { time_each, all_well, stop_word, page_faults, switches, words };
    using Word = std::array<double, words>;

    /// The master's number on all tasks. \throws measure::Interrupted where it is that of a signal
    std::int64_t agreed(std::int64_t number) {
        t_.share(number);
        if (number < 0)
            throw measure::Interrupted{static_cast<int>(-number)};
        return number;
    }

    /// Two iterations show what one costs.
    std::int64_t first_length() {
        std::int64_t n = by_volume(rules_, kind_, message_.bytes);
        if (rules_.exact)
            return n;
        auto const begun = Clock::now();
        auto const probe = measure_loop(2);
        measure::seconds const wall = Clock::now() - begun;
        if (stop_ > 0)
            n = -stop_;
        else
            n = within_time(rules_, n, (rules_.flush_each ? wall : probe.time) / 2);
        cost_ = wall / 2;
        return agreed(n);
    }

    /// Of the same loop once more, with more iterations where it was too short.
    std::int64_t next_length(Loop const& loop) {
        if (stop_ > 0)
            return -stop_;
        auto const n = longer(rules_, kind_, timed_.iterations, loop.time, watch_.resolution);
        return rules_.flush_each ? std::max(timed_.iterations, within_time(rules_, n, cost_)) : n;
    }

    Loop measure_first_loop() {
        if (flush_)
            (*watch_.flush)();
        return measure_loop(timed_.iterations);
    }

    Loop measure_loop(std::int64_t n) {
        if (watch_.control.in_body)
            watch_.control.in_body(true);
        auto const loop = mpbench::time_loop(t_, kind_, message_, n, rules_.flush_each, watch_);
        if (watch_.control.in_body)
            watch_.control.in_body(false);
        if (watch_.control.decision)
            watch_.control.decision();
        executed_ += n;
        auto const stop = watch_.control.stop;
        Word mine{};
        mine[time_each] = loop.time.count() / static_cast<double>(n);
        mine[all_well] = loop.succeeded ? 1 : 0;
        mine[stop_word] = stop != nullptr ? stop->load() : 0;
        mine[page_faults] = loop.counts.page_faults;
        mine[switches] = loop.counts.involuntary_switches;
        last_ = t_.gather(mine);
        for (std::size_t i = 0; i < last_.size(); i += words) {
            timed_.succeeded &= last_[i + all_well] > 0;
            stop_ = std::max(stop_, static_cast<std::int64_t>(last_[i + stop_word]));
        }
        return loop;
    }

    void keep(Loop const& loop) {
        timed_.times.push_back(loop.time.count() / static_cast<double>(timed_.iterations));
        timed_.tasks.resize(last_.size() / words);
        Word most{};
        auto& settling = timed_.settling;
        for (std::size_t i = 0; i < timed_.tasks.size(); ++i) {
            auto const* const of_task = last_.data() + i * words;
            timed_.tasks[i] += of_task[time_each];
            settling.faults_all_ranks += of_task[page_faults];
            for (auto const what : {page_faults, switches})
                most[what] = std::max(most[what], of_task[what]);
        }
        settling.faults_counted += most[page_faults];
        settling.involuntary_switches += static_cast<std::int64_t>(most[switches]);
        if (timed_.times.size() == 1)
            settling.runs = executed_ - timed_.iterations;
    }

    /// 1: one more loop; 0: enough; below 0: a signal.
    std::int64_t decide() {
        if (stop_ > 0)
            return -stop_;
        auto const deadline = watch_.control.deadline;
        timed_.decision = stopping(rules_)({.samples = timed_.times,
                                            .attempts = std::ssize(timed_.times),
                                            .spent = Clock::now() - begun_,
                                            .previous = timed_.times.size() - 1,
                                            .resolution = watch_.resolution,
                                            .iterations_per_sample = timed_.iterations});
        if (timed_.decision == measure::Verdict::more && deadline && Clock::now() >= *deadline)
            timed_.decision = {measure::Verdict::exhausted, "budget"};
        return timed_.decision == measure::Verdict::more ? 1 : 0;
    }

    T& t_;
    Kind kind_;
    Message message_;
    Rules const& rules_;
    Stopwatch const& watch_;
    bool flush_;
    Timed timed_{};
    Clock::time_point begun_ = Clock::now();
    measure::seconds cost_{0};    ///< of an iteration with its flush
    std::vector<double> last_{};  ///< [tasks][words]; master only
    std::int64_t executed_ = 0;   ///< iterations so far
    std::int64_t stop_ = 0;
};

}  // namespace detail

/// Measures one size: probes what it costs, then one loop or as many as the rules ask for.
/// \param flush  caches are flushed once, behind the probe \throws measure::Interrupted
template <Agreeing T>
[[nodiscard]] Timed time_size(T& t, Kind kind, Message const& m, Rules const& rules, Stopwatch const& watch,
                              bool flush) {
    return detail::Timing<T>{t, kind, m, rules, watch, flush}.measure();
}

}  // namespace mpbench
