// SPDX-License-Identifier: BSD-3-Clause
/// run: measures one operation by a plan. Only the timed loop is a template; everything else is in src/run.cpp.
#pragma once

#include "measure/batch.hpp"
#include "measure/comm.hpp"
#include "measure/error.hpp"
#include "measure/kernel_counts.hpp"
#include "measure/measurement.hpp"
#include "measure/operation.hpp"
#include "measure/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {

/// How the samples of a stage begin, as the loop needs it.
enum class StartKind : int { free, barrier, dissemination, slot, roundtime };

/// What the root orders: broadcast before each stage. Trivially copyable.
struct StageOrder {
    int samples = 0;  ///< 0: the epoch ends
    int stage = 0;    ///< 0: warm-up
    int interrupted = 0;
    int body_failed = 0;
    int more = 1;     ///< 0: the stopping rule has ended the point
    int discard = 0;  ///< 1: what was measured so far was warm-up
    int unseen = 0;   ///< 1: nobody looks at the single samples of this stage
    StartKind start = StartKind::free;
    bool until = false;  ///< iterations run until `budget` has passed
    std::int64_t first_index = 0;
    std::int64_t first_sample = 0;
    std::int64_t iterations = 1;
    double budget = 0;       ///< s
    double first_start = 0;  ///< root time of the first slot
    double slot_length = 0;
    double tolerance = 0;    ///< a start later than this is a slip
    double ahead_limit = 0;  ///< a start further ahead than this cannot be meant: the clocks disagree
};

/// What one rank saw of one sample. Seconds.
struct LocalSample {
    double duration = 0;  ///< of the timed region, all iterations
    double begin = 0;     ///< root time, relative to the stage's first start
    double end = 0;
    double prepare = 0;
    std::int64_t iterations = 1;
    Fault fault = Fault::none;
    std::array<double, max_phases> phases{};
};

/// What one rank saw of a stage.
struct LocalStage {
    std::span<LocalSample> samples;
    double elapsed = 0;  ///< from the first begin to the last end
    bool clocks_disagree = false;
    bool threw = false;
    KernelCounts counts{};     ///< of this thread
    std::string error{};       ///< of the first exception
    int* in_sample = nullptr;  ///< 1 during each sample
};

/// The calls between samples that communicate; none of them inside a timed region.
class Gate {
public:
    virtual ~Gate() = default;
    /// Lets all ranks of the communicator begin together, by a barrier of the kind ordered.
    virtual void barrier() = 0;
    /// Root time of the next start (round-time).
    virtual double announce() = 0;
    /// How many iterations a time-driven sample goes on, 0 for none: the root's word. Part of the timed region by
    /// definition.
    virtual std::int64_t agree(std::int64_t round) = 0;
    /// Called while waiting for a start on an oversubscribed host.
    virtual void idle() noexcept = 0;
    bool yields = false;
};

/// A stage's loop, compiled for one timer and one operation.
class Loop {
public:
    virtual ~Loop() = default;
    virtual void stage(StageOrder const& order, GlobalClock const& clock, Gate& gate, LocalStage& out) = 0;
    [[nodiscard]] virtual std::vector<std::string> const& phase_names() const noexcept = 0;
    /// Several iterations between two readings are several times one: no hooks, no phases, no lap.
    [[nodiscard]] virtual bool is_repeatable() const noexcept = 0;
    /// What the operation's check finds wrong on this rank; nothing where it has none. Collective.
    [[nodiscard]] virtual std::optional<std::string> check() = 0;
    /// Of the first operation that failed on this rank: MPI's code, or `no_code`; 0 where none failed.
    [[nodiscard]] int first_code() const noexcept { return first_code_; }

protected:
    int first_code_ = 0;
};

/// A stage's loop for one timer. What depends on the operation is behind two virtual calls per sample, both outside the
/// timed region: the opening and the closing stamp are taken inside `timed`.
template <Timer T>
class TimedLoop : public Loop {
public:
    void stage(StageOrder const& order, GlobalClock const& clock, Gate& gate, LocalStage& out) final;

protected:
    using Stamp = typename T::stamp;
    explicit TimedLoop(T timer) : timer_{std::move(timer)} {}

    /// The hook before a sample; false where there is none.
    virtual bool prepare(Iteration it) = 0;
    /// The timed region; 0 if the operation succeeded, otherwise its first code.
    virtual int timed(Iteration it, Lap<T>& lap, StageOrder const& order, Gate& gate, LocalSample& sample,
                      Stamp& opened, Stamp& closed) = 0;

    T timer_;

private:
    void sample(int l, std::int64_t index, StageOrder const& order, GlobalClock const& clock, Gate& gate, Stamp anchor,
                bool impossible, LocalStage& out);
    Fault wait_until(Stamp start, Gate& gate) const;
    Fault classify(Fault start_fault, Stamp start, Stamp opened, Stamp closed, StageOrder const& order) const;
    void measure_prepare(Iteration it, LocalSample& sample);
    void phases(Lap<T> const& lap, Stamp begin, Stamp end, LocalSample& sample) const;
    static void note(LocalStage& out, LocalSample& sample);
};

template <Timer T>
void TimedLoop<T>::stage(StageOrder const& order, GlobalClock const& clock, Gate& gate, LocalStage& out) {
    Stamp const anchor = clock.local_stamp(timer_, seconds{order.first_start});
    double const ahead = timer_.between(timer_.now(), anchor).count();
    bool const slots = order.start == StartKind::slot;
    bool const impossible = slots && ahead > order.ahead_limit;
    out.clocks_disagree = impossible || (slots && !clock.synchronised() && ahead < -1);
    if (order.start == StartKind::free)
        gate.barrier();
    std::int64_t index = order.first_index;
    for (int l = 0; l < order.samples; ++l) {
        sample(l, index, order, clock, gate, anchor, impossible, out);
        index += out.samples[static_cast<std::size_t>(l)].iterations;
    }
    if (order.samples > 0) {
        LocalSample const& last = out.samples[static_cast<std::size_t>(order.samples - 1)];
        out.elapsed = last.end - out.samples[0].begin;
    }
}

template <Timer T>
void TimedLoop<T>::sample(int l, std::int64_t index, StageOrder const& order, GlobalClock const& clock, Gate& gate,
                          Stamp anchor, bool impossible, LocalStage& out) {
    LocalSample& sample = out.samples[static_cast<std::size_t>(l)];
    sample = {};
    Iteration const it{index, order.stage == 0 ? -1 - l : order.first_sample + l};
    try {
        measure_prepare(it, sample);
    } catch (...) {
        note(out, sample);
    }
    Fault start_fault = Fault::none;
    Stamp start = anchor;
    switch (order.start) {
    case StartKind::free:
        break;
    case StartKind::barrier:
    case StartKind::dissemination:
        gate.barrier();
        break;
    case StartKind::slot:
        start = timer_.after(anchor, clock.local_duration(seconds{l * order.slot_length}));
        start_fault = impossible ? Fault::late : wait_until(start, gate);
        break;
    case StartKind::roundtime: {
        start = clock.local_stamp(timer_, seconds{gate.announce()});
        double const ahead = timer_.between(timer_.now(), start).count();
        bool const too_far = ahead > order.ahead_limit;
        out.clocks_disagree = out.clocks_disagree || too_far || (!clock.synchronised() && ahead < -1);
        start_fault = too_far ? Fault::late : wait_until(start, gate);
        break;
    }
    }

    Lap<T> lap(timer_, it);
    Stamp opened{};
    Stamp closed{};
    sample.iterations = order.iterations;
    int code = MPI_SUCCESS;
    if (out.in_sample != nullptr)
        *out.in_sample = 1;
    try {
        code = timed(it, lap, order, gate, sample, opened, closed);
    } catch (...) {
        closed = end_stamp(timer_);
        note(out, sample);
    }
    if (out.in_sample != nullptr)
        *out.in_sample = 0;
    Stamp const begin = lap.begin_or(opened);
    Stamp const end = lap.end_or(closed);
    sample.duration = timer_.between(begin, end).count();
    sample.begin = clock.root_duration(timer_.between(anchor, begin)).count();
    sample.end = clock.root_duration(timer_.between(anchor, end)).count();
    phases(lap, begin, end, sample);
    if (code != MPI_SUCCESS) {
        sample.fault = Fault::failed;
        if (this->first_code_ == MPI_SUCCESS)
            this->first_code_ = code;
    }
    if (sample.fault == Fault::none)
        sample.fault = classify(start_fault, start, opened, closed, order);
}

/// Spins until the start; late if it was past at the first look.
template <Timer T>
Fault TimedLoop<T>::wait_until(Stamp start, Gate& gate) const {
    if (start < timer_.now())
        return Fault::late;
    if (gate.yields)
        while (timer_.now() < start)
            gate.idle();
    else
        while (timer_.now() < start) {
        }
    return Fault::none;
}

template <Timer T>
Fault TimedLoop<T>::classify(Fault start_fault, Stamp start, Stamp opened, Stamp closed,
                             StageOrder const& order) const {
    if (order.start != StartKind::slot && order.start != StartKind::roundtime)
        return Fault::none;
    if (start_fault != Fault::none)
        return start_fault;
    if (timer_.between(start, opened).count() > order.tolerance)
        return Fault::slip;
    bool const over = order.start == StartKind::slot && timer_.after(start, seconds{order.slot_length}) < closed;
    return over ? Fault::overrun : Fault::none;
}

template <Timer T>
void TimedLoop<T>::measure_prepare(Iteration it, LocalSample& sample) {
    Stamp const before = timer_.now();
    if (prepare(it))
        sample.prepare = timer_.between(before, timer_.now()).count();
}

template <Timer T>
void TimedLoop<T>::phases(Lap<T> const& lap, Stamp begin, Stamp end, LocalSample& sample) const {
    std::size_t const n = std::min(phase_names().size(), max_phases);
    Stamp from = begin;
    for (std::size_t p = 0; p < n; ++p) {
        Stamp const to = p < lap.marks() && p + 1 < n ? lap.mark(p) : end;
        sample.phases[p] = timer_.between(from, to).count();
        from = to;
    }
}

template <Timer T>
void TimedLoop<T>::note(LocalStage& out, LocalSample& sample) {
    sample.fault = Fault::failed;
    if (std::exchange(out.threw, true))
        return;
    try {
        throw;
    } catch (std::exception const& e) {
        out.error = e.what();
    } catch (...) {
        out.error = "the body threw something that is not a std::exception";
    }
}

// Compiled once, in the library.
extern template class TimedLoop<WtimeTimer>;
extern template class TimedLoop<GettimeofdayTimer>;
extern template class TimedLoop<TscTimer>;
extern template class TimedLoop<MonotonicTimer>;
extern template class TimedLoop<MonotonicRawTimer>;
extern template class TimedLoop<OwnTimer>;

/// The timed region. \tparam Op  an Operation that the loop owns, or a reference to one
template <Timer T, class Op>
class LoopOf final : public TimedLoop<T> {
public:
    LoopOf(T timer, Op&& operation) : TimedLoop<T>(std::move(timer)), op_(std::forward<Op>(operation)) {}

    [[nodiscard]] std::vector<std::string> const& phase_names() const noexcept override { return op_.phase_names; }
    [[nodiscard]] bool is_repeatable() const noexcept override {
        using Finish = std::remove_cvref_t<decltype(std::declval<Op&>().finish_hook)>;
        using B = std::remove_cvref_t<decltype(std::declval<Op&>().body)>;
        return std::is_same_v<Prepare, Nothing> && std::is_same_v<Finish, Nothing> && !TakesLap<B> &&
               op_.phase_names.empty();
    }
    [[nodiscard]] std::optional<std::string> check() override {
        return op_.check_hook ? std::optional{op_.check_hook(op_.body)} : std::nullopt;
    }

private:
    using typename TimedLoop<T>::Stamp;
    using TimedLoop<T>::timer_;
    using Prepare = std::remove_cvref_t<decltype(std::declval<Op&>().prepare_hook)>;

    bool prepare(Iteration it) override {
        if constexpr (std::is_same_v<Prepare, Nothing>) {
            return false;
        } else {
            if constexpr (std::is_invocable_v<Prepare&, Iteration>)
                op_.prepare_hook(it);
            else
                op_.prepare_hook();
            return true;
        }
    }

    int timed(Iteration it, Lap<T>& lap, StageOrder const& order, Gate& gate, LocalSample& sample, Stamp& opened,
              Stamp& closed) override {
        opened = begin_stamp(timer_);
        int const body = order.until ? body_until(it, lap, opened, order.budget, gate, sample)
                                     : iterate(op_.body, it, lap, order.iterations);
        int const finish = code_of(op_.finish_hook);
        closed = end_stamp(timer_);
        return body != MPI_SUCCESS ? body : finish;
    }

    [[gnu::noinline]] int body_until(Iteration it, Lap<T>& lap, Stamp opened, double budget, Gate& gate,
                                     LocalSample& sample) {
        int first = MPI_SUCCESS;
        // A rank whose body threw goes on agreeing until the end, because the others wait for it there.
        std::exception_ptr error;
        std::int64_t done = 0;
        for (std::int64_t round = 1; round > 0;) {
            try {
                if (!error) {
                    int const code = iterate(op_.body, it, lap, round);
                    first = first != MPI_SUCCESS ? first : code;
                }
            } catch (...) {
                error = std::current_exception();
            }
            it.index += round;
            done += round;
            seconds const spent = timer_.between(opened, timer_.now());
            round = gate.agree(error ? 0 : next_block({.until = seconds{budget}}, round, done, spent));
        }
        sample.iterations = done;
        if (error)
            std::rethrow_exception(error);
        return first;
    }

    Op op_;
};

using LoopMaker = std::function<std::unique_ptr<Loop>(Comm const& epoch)>;

[[nodiscard]] Measurement run(Comm const& comm, Plan const& plan, LoopMaker const& make, bool fresh);

/// Several operations on one team, compared: all are settled before the first counts, then they are measured stage by
/// stage, in an order drawn anew for each round. The measurement of each but the first has the ratio to the first. With
/// fresh makers and one epoch they are made eight times, on the same communicator: each is an epoch of its own in the
/// measurements. \param seed  of the orders
[[nodiscard]] std::vector<Measurement>
run_together(Comm const& comm, Plan const& plan, std::vector<LoopMaker> const& makers, std::uint64_t seed, bool fresh);

/// The operation that a source stands for: an Operation, a body, or a maker called with the epoch's communicator.
template <class Source>
[[nodiscard]] decltype(auto) make_operation(Source& source, Comm const& comm) {
    using S = std::remove_cvref_t<Source>;
    // A body comes before a maker: asking whether `[](auto& lap) {..}` takes a communicator would instantiate it for
    // one.
    if constexpr (IsOperation<S>::value) {
        return (source);
    } else if constexpr (Callable<S>) {
        return op(std::ref(source));
    } else {
        static_assert(std::is_invocable_v<S&, Comm const&>, "neither an operation, nor a body, nor a maker of one");
        if constexpr (IsOperation<std::invoke_result_t<S&, Comm const&>>::value)
            return source(comm);
        else
            return op(source(comm));
    }
}

/// The loop of a source for one of the plan's timers, on the communicator of an epoch.
template <class Source>
[[nodiscard]] std::unique_ptr<Loop> loop_of(AnyTimer const& timer, Source& source, Comm const& epoch) {
    decltype(auto) operation = make_operation(source, epoch);
    using Op = decltype(operation);
    return timer.visit([&](auto const& t) -> std::unique_ptr<Loop> {
        using T = std::remove_cvref_t<decltype(t)>;
        return std::make_unique<LoopOf<T, Op>>(t, std::forward<Op>(operation));
    });
}

template <class Source>
inline constexpr bool is_maker =
    !IsOperation<std::remove_cvref_t<Source>>::value && !Callable<std::remove_cvref_t<Source>>;

}  // namespace detail

/// Measures an operation by a plan. Collective over `comm`.
///
/// `source` is an operation (`op(body)...`), a bare body, or a maker: a callable that takes the `Comm const&` of the
/// epoch and returns an operation. With `plan.epochs` > 1 a maker gets a fresh duplicate of the communicator and makes
/// fresh buffers in each epoch; a plain operation only gets new synchronisation and warm-up, and the measurement has
/// the flag `same_buffers`.
///
/// \return complete on the root; verdict, reason, counts and `mine` on every rank
/// \throws UsageError for a plan that cannot be, on all ranks alike; BodyError if a body or a maker threw on any rank,
/// on
///         all; std::bad_alloc on all if a maker ran out of memory on any; Interrupted; MpiError
template <class Source>
[[nodiscard]] Measurement run(Comm const& comm, Plan const& plan, Source&& source) {
    return detail::run(
        comm, plan, [&](Comm const& epoch) { return detail::loop_of(plan.timer, source, epoch); },
        detail::is_maker<Source>);
}

/// The same with an own timer, read inline in the timed loop. `plan.timer` is ignored.
template <Timer T, class Source>
[[nodiscard]] Measurement run(Comm const& comm, Plan plan, T const& timer, Source&& source) {
    plan.timer = timer;
    return detail::run(
        comm, plan,
        [&](Comm const& epoch) -> std::unique_ptr<detail::Loop> {
            decltype(auto) operation = detail::make_operation(source, epoch);
            using Op = decltype(operation);
            return std::make_unique<detail::LoopOf<T, Op>>(timer, std::forward<Op>(operation));
        },
        detail::is_maker<Source>);
}

/// Cost of an empty sample under the plan's start on this rank: the median of 64 valid ones, or of those among 200
/// tried; nothing where none was valid. Collective.
[[nodiscard]] std::optional<seconds> empty_sample(Comm const& comm, Plan const& plan);

namespace detail {
[[nodiscard]] Plan empty_plan(Plan const& plan);
[[nodiscard]] std::optional<seconds> cost_of(Measurement const& empty);
}  // namespace detail

/// The same for a body that does nothing but is reached by the way that others go: a call by a pointer, for example.
template <Body B>
[[nodiscard]] std::optional<seconds> empty_sample(Comm const& comm, Plan const& plan, B body) {
    return detail::cost_of(run(comm, detail::empty_plan(plan), std::move(body)));
}

/// Minimum, mean and maximum of one value per rank. Collective; the result stands on the root.
[[nodiscard]] OverRanks over_ranks(Comm const& comm, double value);

}  // namespace measure
#pragma GCC visibility pop
