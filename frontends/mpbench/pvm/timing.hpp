// SPDX-License-Identifier: BSD-3-Clause
/// Timing: measures loops on the tasks of a test without MPI. Everything here is collective over the transport.
#pragma once

#include "llcbench/flush.hpp"
#include "llcbench/points.hpp"
#include "mpbench/operations.hpp"
#include "mpbench/pvm/agreement.hpp"
#include "mpbench/rules.hpp"

#include <measure/control.hpp>
#include <measure/error.hpp>
#include <measure/kernel_counts.hpp>
#include <measure/measurement.hpp>
#include <measure/settle.hpp>
#include <measure/statistics.hpp>
#include <measure/stopping.hpp>
#include <measure/time_iterations.hpp>
#include <measure/timer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <vector>

namespace mpbench {

/// The instruments of a task. All of them must outlive the calls.
struct Stopwatch {
    measure::AnyTimer const& timer;
    measure::seconds resolution{};  ///< resolution of the timer; only the master's value is used
    llcbench::Flush* flush = nullptr;
    measure::Control control{};
};

/// A sample of one task.
struct Loop {
    measure::seconds time{0};  ///< total time of all iterations
    measure::KernelCounts counts{};
    bool succeeded = true;
};

/// The times of all samples. Complete on the master.
struct Timed {
    std::int64_t iterations = 1;         ///< iterations of each sample
    std::vector<double> times{};         ///< seconds per iteration on the master, one value for each sample
    std::vector<double> tasks{};         ///< [tasks], seconds per iteration, mean over the samples
    measure::SettlingReport settling{};  ///< sums over all samples
    measure::Decision decision{};        ///< why the measurement ended
    bool succeeded = true;               ///< whether no call failed on any task
    bool is_backward = false;            ///< the clock of a task went backwards, so no time is valid
};

/// Converts to the form that measure::run returns. \param step  resolution of the master's clock
[[nodiscard]] inline measure::Measurement measurement(Timed const& timed, measure::seconds step = {}) {
    if (!timed.succeeded) {
        measure::Measurement failed{.verdict = measure::StopVerdict::no_valid_samples};
        failed.attempts = failed.invalid.failed = std::ssize(timed.times);
        failed.iterations_per_sample = timed.iterations;
        failed.message = "a call reported an error";
        return failed;
    }
    std::vector<measure::Sample> samples;
    for (double const time : timed.times)
        samples.push_back(timed.is_backward ? measure::Sample{.stage = 1, .invalid = measure::InvalidReason::backward}
                                            : measure::Sample{.stage = 1, .time = time});
    auto m = llcbench::measurement(std::move(samples), timed.decision, {},
                                   step.count() / static_cast<double>(timed.iterations));
    if (timed.is_backward)
        m.message = "the clock went back";
    m.iterations_per_sample = timed.iterations;
    m.combine = measure::Combine::root;
    m.settling = timed.settling;
    m.settling.runs_counted = m.attempts * timed.iterations;
    if (measure::is_unsettled(m.settling.faults_counted, static_cast<double>(m.settling.runs_counted)))
        m.flag("unsettled");
    if (!timed.tasks.empty() && !timed.is_backward) {
        auto const [low, high] = std::minmax_element(timed.tasks.begin(), timed.tasks.end());
        m.over_ranks = measure::RankSpread{*low, measure::mean(timed.tasks), *high};
    }
    return m;
}

/// Whether the slave sends an untimed acknowledgement after the loop, so that the master cannot run ahead.
[[nodiscard]] constexpr bool answers_untimed(Kind kind) noexcept { return kind == Kind::latency; }

/// The untimed part after the loop.
template <Transport T>
bool settle(T& t, Kind kind) {
    if (!answers_untimed(kind))
        return true;
    return t.rank() == 0 ? await_answer(t, t.size() - 1, tag::answer) : answer(t, tag::answer);
}

/// Times `n` iterations between two readings, with a barrier before and after.
template <Transport T>
[[nodiscard]] Loop time_iterations(T& t, Kind kind, Message const& m, std::int64_t n, measure::AnyTimer const& timer) {
    Loop loop;
    loop.succeeded = make_ready(t, kind, m, n) && t.barrier();
    with_operation(t, kind, m, [&](auto operation) {
        auto const before = measure::kernel_counts();
        auto const timed = measure::time_iterations(timer, operation, n);
        loop.counts = measure::kernel_counts() - before;
        loop.time = timed.total;
        loop.succeeded &= timed.succeeded;
    });
    loop.succeeded &= settle(t, kind) && t.barrier();
    return loop;
}

/// Measures the loops of a size over a transport: the counterpart of `MpiLoops` without MPI.
template <Agreeing T>
class TransportLoops {
public:
    TransportLoops(T& t, Kind kind, Message const& m, Rules const& rules, Stopwatch const& watch)
        : t_{t}, kind_{kind}, message_{m}, rules_{rules}, watch_{watch} {}

    /// Sends the master's number to all tasks. \throws measure::Interrupted if the number is that of a signal
    std::int64_t agreed(std::int64_t number) {
        t_.share(number);
        if (number < 0)
            throw measure::Interrupted{static_cast<int>(-number)};
        return number;
    }

    /// Runs loops until the rule ends them. With -X, each iteration has its own flush and barrier.
    measure::Measurement run(std::int64_t n, measure::StoppingRule const& rule, bool flush) {
        auto const begun = Clock::now();
        Timed timed{.iterations = rules_.flush_each ? 1 : n};
        std::size_t previous = 0;
        do {
            previous = timed.times.size();
            stage(timed, rules_.samples(n), flush && previous == 0);
        } while (agreed(decide(timed, rule, previous, Clock::now() - begun)) != 0);
        for (double& time : timed.tasks)
            time /= static_cast<double>(timed.times.size());
        return measurement(timed, watch_.resolution);
    }

private:
    using Clock = measure::SteadyClock;

    /// The numbers that a task reports about the samples of a stage.
    enum : std::size_t { time_each, all_well, stop_word, page_faults, switches, backward, words };
    using Word = std::array<double, words>;

    void stage(Timed& timed, std::int64_t samples, bool flush) {
        auto const& control = watch_.control;
        if (control.in_body)
            control.in_body(true);
        Word mine{};
        mine[all_well] = 1;
        for (std::int64_t i = 0; i < samples; ++i) {
            if (rules_.flush_each || (flush && i == 0))
                (*watch_.flush)();
            auto const loop = time_iterations(t_, kind_, message_, timed.iterations, watch_.timer);
            timed.times.push_back(loop.time.count() / static_cast<double>(timed.iterations));
            mine[time_each] += timed.times.back();
            mine[all_well] *= loop.succeeded ? 1 : 0;
            mine[backward] += loop.time < measure::seconds{0} ? 1 : 0;
            mine[page_faults] += loop.counts.page_faults;
            mine[switches] += loop.counts.involuntary_switches;
        }
        if (control.in_body)
            control.in_body(false);
        if (control.decision)
            control.decision();
        mine[stop_word] = control.stop != nullptr ? control.stop->load() : 0;
        join(timed, t_.gather(mine));
    }

    /// Adds the reports of all tasks. \param all  [tasks][words] on the master
    void join(Timed& timed, std::vector<double> const& all) {
        timed.tasks.resize(all.size() / words);
        Word most{};
        for (std::size_t i = 0; i < timed.tasks.size(); ++i) {
            auto const* const of_task = all.data() + i * words;
            timed.tasks[i] += of_task[time_each];
            timed.succeeded &= of_task[all_well] > 0;
            timed.is_backward |= of_task[backward] > 0;
            timed.settling.faults_all_ranks += of_task[page_faults];
            for (auto const what : {stop_word, page_faults, switches})
                most[what] = std::max(most[what], of_task[what]);
        }
        stop_ = static_cast<std::int64_t>(most[stop_word]);
        timed.settling.faults_counted += most[page_faults];
        timed.settling.involuntary_switches += static_cast<std::int64_t>(most[switches]);
    }

    /// 1: continue; 0: stop; < 0: minus the number of a signal. Only the master's answer is used.
    std::int64_t decide(Timed& timed, measure::StoppingRule const& rule, std::size_t previous,
                        measure::seconds spent) const {
        if (stop_ > 0)
            return -stop_;
        if (t_.rank() != 0 || !timed.succeeded)
            return 0;
        if (timed.is_backward) {
            timed.decision = {measure::StopVerdict::no_valid_samples, "exhausted"};
            return 0;
        }
        timed.decision = rule({.samples = timed.times,
                               .attempts = std::ssize(timed.times),
                               .spent = spent,
                               .previous = previous,
                               .resolution = watch_.resolution,
                               .iterations_per_sample = timed.iterations});
        auto const deadline = watch_.control.deadline;
        if (timed.decision == measure::StopVerdict::more && deadline && Clock::now() >= *deadline)
            timed.decision = {measure::StopVerdict::exhausted, "budget"};
        return timed.decision == measure::StopVerdict::more ? 1 : 0;
    }

    T& t_;
    Kind kind_;
    Message message_;
    Rules const& rules_;
    Stopwatch const& watch_;
    std::int64_t stop_ = 0;  ///< signal that a task received; master only
};

}  // namespace mpbench
