// SPDX-License-Identifier: BSD-3-Clause
/// run: measures one operation according to a plan. Only the timed loop is a template; the rest is in src/run/run.cpp.
#pragma once

#include "measure/batch.hpp"
#include "measure/callback.hpp"
#include "measure/comm.hpp"
#include "measure/error.hpp"
#include "measure/kernel_counts.hpp"
#include "measure/measurement.hpp"
#include "measure/mpi_error.hpp"
#include "measure/operation.hpp"
#include "measure/plan.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

namespace detail {

/// How the samples of a stage begin.
enum class StartKind : int { free, barrier, dissemination, slot, roundtime };

/// The root's instructions for a stage, broadcast before it begins. Trivially copyable.
struct StageOrder {
    int samples = 0;  ///< 0: the epoch ends
    int stage = 0;    ///< 0: warm-up
    int interrupted = 0;
    int body_failed = 0;
    int more = 1;     ///< 0: the stopping rule has ended the point
    int discard = 0;  ///< 1: all earlier samples were warm-up and are dropped
    int unseen = 0;   ///< 1: the single samples of this stage are not examined
    StartKind start = StartKind::free;
    bool until = false;  ///< iterate until `budget` has passed
    std::int64_t first_index = 0;
    std::int64_t first_sample = 0;
    std::int64_t iterations = 1;
    double budget = 0;       ///< duration of a time-driven sample, s
    double first_start = 0;  ///< root time at which the first slot begins, s
    double slot_length = 0;  ///< length of a slot, s
    double tolerance = 0;    ///< a sample that starts later than this is a slip, s
    double ahead_limit = 0;  ///< a start further in the future than this means that the clocks disagree, s
};

/// The times of one sample on one rank, in seconds.
struct LocalSample {
    double duration = 0;  ///< length of the timed region with all iterations
    double begin = 0;     ///< root time after the first start of the stage
    double end = 0;       ///< root time after the first start of the stage
    double prepare = 0;   ///< duration of the prepare hook
    std::int64_t iterations = 1;
    InvalidReason invalid = InvalidReason::none;
    std::array<double, max_phases> phases{};
};

/// The samples of one stage on one rank.
struct LocalStage {
    std::span<LocalSample> samples;
    double elapsed = 0;  ///< time from the first begin to the last end, s
    bool clocks_disagree = false;
    bool threw = false;
    KernelCounts counts{};     ///< counted for this thread
    std::string error{};       ///< text of the first exception
    int* in_sample = nullptr;  ///< set to 1 during each sample
};

/// The communication of a stage's loop. Except for `agree`, it happens outside timed regions.
class Gate {
public:
    virtual ~Gate() = default;
    /// Lets all ranks begin together, with the kind of barrier that the plan asks for.
    virtual void barrier() = 0;
    /// \return the root time of the next start, s (round-time method)
    virtual double announce() = 0;
    /// Number of further iterations of a time-driven sample; 0 ends it. The root decides and broadcasts the number.
    /// This is part of the timed region by definition.
    virtual std::int64_t agree(std::int64_t round) = 0;
    /// Called repeatedly while a rank waits for a start on an oversubscribed host.
    virtual void idle() noexcept = 0;
    bool yields = false;
};

/// Type-erased operation of a loop. All members are called outside timed regions.
class AnyOperation {
public:
    AnyOperation() = default;
    AnyOperation(AnyOperation const&) = delete;
    AnyOperation& operator=(AnyOperation const&) = delete;
    virtual ~AnyOperation();
    /// Runs the prepare hook. \return false if the operation has no such hook
    virtual bool prepare(Iteration it);
    /// Runs the operation's check. Collective. \return the error on this rank; nothing without a check
    [[nodiscard]] virtual std::optional<std::string> check();
    [[nodiscard]] std::vector<std::string> const& phase_names() const noexcept;
    /// Whether several iterations between two readings measure the same as single ones: no hooks, phases or lap.
    [[nodiscard]] bool is_repeatable() const noexcept;
    /// Whether the body was compiled without optimisation.
    [[nodiscard]] bool is_unoptimised() const noexcept { return unoptimised_; }

protected:
    std::vector<std::string> const* names_ = nullptr;  ///< null: no phases
    bool simple_ = false;                              ///< neither hooks nor a lap
    bool unoptimised_ = false;
};

/// The loop of a stage, for one timer and one operation.
class Loop {
public:
    explicit Loop(Owned<AnyOperation> operation) noexcept : operation_{std::move(operation)} {}
    Loop(Loop const&) = delete;
    Loop& operator=(Loop const&) = delete;
    virtual ~Loop();
    virtual void stage(StageOrder const& order, GlobalClock const& clock, Gate& gate, LocalStage& out) = 0;
    [[nodiscard]] AnyOperation& operation() const noexcept { return *operation_; }
    /// \return the MPI error code (or `no_code`) of the first operation that failed on this rank; 0 if all succeeded
    [[nodiscard]] int first_code() const noexcept { return first_code_; }

protected:
    int first_code_ = 0;

private:
    Owned<AnyOperation> operation_;
};

/// The inputs of a timed region and the stamps that it takes.
template <Timer T>
struct TimedRegion {
    T const& timer;
    Lap<T>& lap;
    StageOrder const& order;
    Gate& gate;
    LocalSample& sample;
    typename T::stamp opened{};
    typename T::stamp closed{};
};

/// The timed region of an operation with a timer: opening stamp, iterations, finish hook and closing stamp, all inlined
/// into one function. It is called through a pointer once per sample. This indirect call is not timed.
/// \return 0 if the operation succeeded, otherwise its first error code
template <Timer T>
using TimedCall = int (*)(AnyOperation& operation, TimedRegion<T>& region);

/// The loop of a stage, for one timer. The library compiles it once for each of its timers. It accesses the operation
/// only through the timed region.
template <Timer T>
class StageLoop final : public Loop {
public:
    StageLoop(T timer, Owned<AnyOperation> operation, TimedCall<T> timed)
        : Loop{std::move(operation)}, timer_{std::move(timer)}, timed_{timed} {}
    void stage(StageOrder const& order, GlobalClock const& clock, Gate& gate, LocalStage& out) override;

private:
    using Stamp = typename T::stamp;
    void sample(int l, std::int64_t index, StageOrder const& order, GlobalClock const& clock, Gate& gate, Stamp anchor,
                bool impossible, LocalStage& out);
    InvalidReason wait_until(Stamp start, double at_most, Gate& gate) const;
    InvalidReason classify(InvalidReason start_fault, Stamp start, Stamp opened, Stamp closed,
                           StageOrder const& order) const;
    void measure_prepare(Iteration it, LocalSample& sample);
    bool phases(Lap<T> const& lap, Stamp begin, Stamp end, LocalSample& sample) const;

    T timer_;
    TimedCall<T> timed_;
};

/// Marks the sample as failed. The text of the first exception of the stage is kept.
void note_exception(LocalStage& out, LocalSample& sample);

template <Timer T>
void StageLoop<T>::stage(StageOrder const& order, GlobalClock const& clock, Gate& gate, LocalStage& out) {
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
        double const elapsed = last.end - out.samples[0].begin;
        out.elapsed = elapsed > 0 ? elapsed : 0;
    }
}

template <Timer T>
void StageLoop<T>::sample(int l, std::int64_t index, StageOrder const& order, GlobalClock const& clock, Gate& gate,
                          Stamp anchor, bool impossible, LocalStage& out) {
    LocalSample& sample = out.samples[static_cast<std::size_t>(l)];
    sample = {};
    Iteration const it{index, order.stage == 0 ? -1 - l : order.first_sample + l};
    static_cast<void>(noted_error());  // drops an error from before this sample
    try {
        measure_prepare(it, sample);
    } catch (...) {
        note_exception(out, sample);
    }
    Lap<T> lap(timer_, it);
    TimedRegion<T> region{timer_, lap, order, gate, sample};
    AnyOperation& op = operation();
    sample.iterations = order.iterations;
    int code = MPI_SUCCESS;
    InvalidReason start_fault = InvalidReason::none;
    Stamp start = anchor;
    // Everything else is done before the wait: any work between the wait and the first stamp delays the sample.
    switch (order.start) {
    case StartKind::free:
        break;
    case StartKind::barrier:
    case StartKind::dissemination:
        gate.barrier();
        break;
    case StartKind::slot:
        start = timer_.after(anchor, clock.local_duration(seconds{l * order.slot_length}));
        start_fault = impossible ? InvalidReason::late : wait_until(start, order.ahead_limit + order.slot_length, gate);
        break;
    case StartKind::roundtime: {
        start = clock.local_stamp(timer_, seconds{gate.announce()});
        double const ahead = timer_.between(timer_.now(), start).count();
        bool const too_far = ahead > order.ahead_limit;
        out.clocks_disagree = out.clocks_disagree || too_far || (!clock.synchronised() && ahead < -1);
        start_fault = too_far ? InvalidReason::late : wait_until(start, order.ahead_limit, gate);
        break;
    }
    }

    if (out.in_sample != nullptr)
        *out.in_sample = 1;
    try {
        code = timed_(op, region);
    } catch (...) {
        region.closed = end_stamp(timer_);
        note_exception(out, sample);
    }
    if (out.in_sample != nullptr)
        *out.in_sample = 0;
    alive();
    Stamp const begin = lap.begin_or(region.opened);
    Stamp const end = lap.end_or(region.closed);
    sample.duration = timer_.between(begin, end).count();
    sample.begin = clock.root_duration(timer_.between(anchor, begin)).count();
    sample.end = clock.root_duration(timer_.between(anchor, end)).count();
    bool const is_forward = phases(lap, begin, end, sample);
    if (int const noted = noted_error(); code == MPI_SUCCESS)
        code = noted;
    if (code != MPI_SUCCESS) {
        sample.invalid = InvalidReason::failed;
        if (this->first_code_ == MPI_SUCCESS)
            this->first_code_ = code;
    }
    if (sample.invalid == InvalidReason::none)
        sample.invalid = classify(start_fault, start, region.opened, region.closed, order);
    if (!is_forward) {
        // The stamps do not ascend: no time of this sample can be used.
        sample.duration = 0;
        sample.end = sample.begin;
        sample.phases = {};
        if (sample.invalid != InvalidReason::failed)
            sample.invalid = InvalidReason::backward;
    }
}

/// Spins until `start`. The sample is late if the first reading is already after `start`. Ends early if the clock goes
/// back.
/// \param at_most  longest possible time to the start, s; a longer time means that the clock went back
template <Timer T>
InvalidReason StageLoop<T>::wait_until(Stamp start, double at_most, Gate& gate) const {
    Stamp const first = timer_.now();
    if (start < first)
        return InvalidReason::late;
    if (timer_.between(first, start).count() > at_most)
        return InvalidReason::backward;
    for (Stamp now = timer_.now(); now < start; now = timer_.now()) {
        if (now < first)
            return InvalidReason::backward;
        if (gate.yields)
            gate.idle();
    }
    return InvalidReason::none;
}

template <Timer T>
InvalidReason StageLoop<T>::classify(InvalidReason start_fault, Stamp start, Stamp opened, Stamp closed,
                                     StageOrder const& order) const {
    if (order.start != StartKind::slot && order.start != StartKind::roundtime)
        return InvalidReason::none;
    if (start_fault != InvalidReason::none)
        return start_fault;
    if (timer_.between(start, opened).count() > order.tolerance)
        return InvalidReason::slip;
    bool const over = order.start == StartKind::slot && timer_.after(start, seconds{order.slot_length}) < closed;
    return over ? InvalidReason::overrun : InvalidReason::none;
}

template <Timer T>
void StageLoop<T>::measure_prepare(Iteration it, LocalSample& sample) {
    Stamp const before = timer_.now();
    if (!operation().prepare(it))
        return;
    double const time = timer_.between(before, timer_.now()).count();
    sample.prepare = time > 0 ? time : 0;
}

/// \return whether the stamps ascend
template <Timer T>
bool StageLoop<T>::phases(Lap<T> const& lap, Stamp begin, Stamp end, LocalSample& sample) const {
    bool is_forward = !(end < begin);
    std::size_t const names = operation().phase_names().size();
    std::size_t const n = names < max_phases ? names : max_phases;
    Stamp from = begin;
    for (std::size_t p = 0; p < n; ++p) {
        Stamp const to = p < lap.marks() && p + 1 < n ? lap.mark_at(p) : end;
        sample.phases[p] = timer_.between(from, to).count();
        is_forward = is_forward && !(to < from);
        from = to;
    }
    return is_forward;
}

/// Runs a block of iterations of a sample. `lap` points to the Lap of the timer, for bodies that take one.
using BlockCall = int (*)(AnyOperation& operation, Iteration it, void* lap, std::int64_t iterations);

/// Runs the iterations of a time-driven sample in blocks, until the ranks agree to end it. Inside the timed region.
template <Timer T>
int iterate_until(AnyOperation& operation, TimedRegion<T>& region, BlockCall block) {
    Iteration it = region.lap.iteration();
    int first = MPI_SUCCESS;
    // A rank whose body threw still takes part in the agreement, because the other ranks wait for it.
    std::exception_ptr error;
    std::int64_t done = 0;
    for (std::int64_t round = 1; round > 0;) {
        try {
            if (!error) {
                int const code = block(operation, it, &region.lap, round);
                first = first != MPI_SUCCESS ? first : code;
            }
        } catch (...) {
            error = std::current_exception();
        }
        it.index += round;
        done += round;
        seconds const spent = region.timer.between(region.opened, region.timer.now());
        round = region.gate.agree(error ? 0 : next_block({.until = seconds{region.order.budget}}, round, done, spent));
    }
    region.sample.iterations = done;
    if (error)
        std::rethrow_exception(error);
    return first;
}

// Instantiated in run.cpp.
extern template class StageLoop<WtimeTimer>;
extern template class StageLoop<GettimeofdayTimer>;
extern template class StageLoop<TscTimer>;
extern template class StageLoop<MonotonicTimer>;
extern template class StageLoop<MonotonicRawTimer>;
extern template class StageLoop<OwnTimer>;
extern template int iterate_until<WtimeTimer>(AnyOperation&, TimedRegion<WtimeTimer>&, BlockCall);
extern template int iterate_until<GettimeofdayTimer>(AnyOperation&, TimedRegion<GettimeofdayTimer>&, BlockCall);
extern template int iterate_until<TscTimer>(AnyOperation&, TimedRegion<TscTimer>&, BlockCall);
extern template int iterate_until<MonotonicTimer>(AnyOperation&, TimedRegion<MonotonicTimer>&, BlockCall);
extern template int iterate_until<MonotonicRawTimer>(AnyOperation&, TimedRegion<MonotonicRawTimer>&, BlockCall);
extern template int iterate_until<OwnTimer>(AnyOperation&, TimedRegion<OwnTimer>&, BlockCall);

/// A body without hooks. The caller owns it.
template <class B>
struct BareBody {
    static_assert(Body<B>,
                  "a body must return an MPI error code (int), a bool that is true on success, or void; pass a "
                  "result that is computed only for timing to measure::keep");
    B& body;
    Nothing finish_hook{};
    Nothing prepare_hook{};
};

/// An operation and its timed regions. \tparam Op  an Operation, a reference to one, or a BareBody
template <class Op>
class OperationOf final : public AnyOperation {
    using Plain = std::remove_reference_t<Op>;
    using B = std::remove_reference_t<decltype((std::declval<Plain&>().body))>;
    using Prepare = decltype(Plain::prepare_hook);
    static constexpr bool is_bare = std::is_same_v<Plain, BareBody<B>>;
    // This project's own tests are compiled without optimisation and compare flags.
#if defined(__OPTIMIZE__) || defined(MEASURE_OWN_BUILD)
    static constexpr bool is_unoptimised_here = false;
#else
    static constexpr bool is_unoptimised_here = true;
#endif

public:
    explicit OperationOf(Op&& operation) : op_{std::forward<Op>(operation)} {
        simple_ =
            std::is_same_v<Prepare, Nothing> && std::is_same_v<decltype(Plain::finish_hook), Nothing> && !TakesLap<B>;
        if constexpr (!is_bare)
            names_ = &op_.phase_names;
        unoptimised_ = is_unoptimised_here;
    }

    bool prepare([[maybe_unused]] Iteration it) override {
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
    [[nodiscard]] std::optional<std::string> check() override {
        if constexpr (!is_bare)
            if (op_.check_hook)
                return op_.check_hook(op_.body);
        return std::nullopt;
    }

    [[nodiscard]] Plain& held() noexcept { return op_; }

    template <Timer T>
    static int timed(AnyOperation& operation, TimedRegion<T>& region) {
        auto& op = static_cast<OperationOf&>(operation).op_;
        auto& lap = region.lap;
        T const& timer = region.timer;
        Iteration const it = lap.iteration();
        bool const until = region.order.until;
        std::int64_t const iterations = region.order.iterations;
        region.opened = begin_stamp(timer);
        int const body = until ? iterate_until(operation, region, block<T>) : iterate(op.body, it, lap, iterations);
        int const finish = code_of(op.finish_hook);
        region.closed = end_stamp(timer);
        return body != MPI_SUCCESS ? body : finish;
    }

private:
    template <Timer T>
    static int lap_block(AnyOperation& operation, Iteration it, void* lap, std::int64_t iterations) {
        return iterate(static_cast<OperationOf&>(operation).op_.body, it, *static_cast<Lap<T>*>(lap), iterations);
    }
    static int plain_block(AnyOperation& operation, Iteration it, void*, std::int64_t iterations) {
        return iterate(static_cast<OperationOf&>(operation).op_.body, it, iterations);
    }
    template <Timer T>
    static constexpr BlockCall block_of() noexcept {
        if constexpr (TakesLap<B>)
            return lap_block<T>;
        else
            return plain_block;
    }
    template <Timer T>
    static constexpr BlockCall block = block_of<T>();

    Op op_;
};

/// The timed regions of an operation with the library's timers.
struct TimedCalls {
    TimedCall<WtimeTimer> wtime;
    TimedCall<GettimeofdayTimer> gettimeofday;
    TimedCall<TscTimer> tsc;
    TimedCall<MonotonicTimer> monotonic;
    TimedCall<MonotonicRawTimer> monotonic_raw;
    TimedCall<OwnTimer> own;
};
template <class Op>
inline constexpr TimedCalls calls_of{
    OperationOf<Op>::template timed<WtimeTimer>,        OperationOf<Op>::template timed<GettimeofdayTimer>,
    OperationOf<Op>::template timed<TscTimer>,          OperationOf<Op>::template timed<MonotonicTimer>,
    OperationOf<Op>::template timed<MonotonicRawTimer>, OperationOf<Op>::template timed<OwnTimer>};

[[nodiscard]] Owned<Loop> loop_for(AnyTimer const& timer, Owned<AnyOperation> operation, TimedCalls const& calls);

using LoopMaker = Callback<Owned<Loop>(Comm const& epoch)>;

[[nodiscard]] Measurement run(Comm const& comm, Plan const& plan, LoopMaker const& make, bool fresh);

/// The objects that a maker creates each time it is called.
enum class MadeAnew { nothing, operation, communicator };

/// Compares several operations on one communicator. All of them are warmed up before the first stage counts. Then they
/// take turns, one stage each, in a new random order each time. Every measurement except the first has the ratio to the
/// first. If the plan has one epoch, makers that create something are called eight times (`placements`) on the same
/// communicator, and each call is a separate epoch in the measurements.
/// \param seed  seed of the random orders
[[nodiscard]] std::vector<Measurement> run_together(Comm const& comm, Plan const& plan,
                                                    std::vector<LoopMaker> const& makers, std::uint64_t seed,
                                                    MadeAnew anew);

/// The operation of a source, which is an Operation, a body, or a maker that takes the epoch's communicator.
template <class Source>
[[nodiscard]] decltype(auto) make_operation(Source& source, Comm const& comm) {
    using S = std::remove_cvref_t<Source>;
    // Bodies are tried before makers: testing whether `[](auto& lap) {..}` takes a communicator would instantiate it
    // with one.
    if constexpr (IsOperation<S>::value) {
        return (source);
    } else if constexpr (Callable<S>) {
        return BareBody<Source>{source};
    } else if constexpr (std::is_invocable_v<S&, Comm const&>) {
        using Made = std::invoke_result_t<S&, Comm const&>;
        constexpr bool is_operation = IsOperation<std::remove_cvref_t<Made>>::value;
        static_assert(is_operation || Callable<std::remove_cvref_t<Made>>,
                      "a maker must return the operation or the body that it makes; a body takes no communicator");
        if constexpr (is_operation)
            return source(comm);
        else if constexpr (Callable<std::remove_cvref_t<Made>>)
            return op(source(comm));
        else
            return Operation<Nothing>{};
    } else {
        static_assert(
            std::is_invocable_v<S&, Comm const&>,
            "expected a body, which takes no arguments, a measure::Iteration, measure::Iterations, or auto& lap, "
            "or a maker, which takes the measure::Comm const& of an epoch");
        return Operation<Nothing>{};
    }
}

/// Creates the loop of a source with the plan's timer, on the communicator of an epoch.
template <class Source>
[[nodiscard]] Owned<Loop> loop_of(AnyTimer const& timer, Source& source, Comm const& epoch) {
    using Op = decltype(make_operation(source, epoch));
    return loop_for(timer, Owned<AnyOperation>{new OperationOf<Op>(make_operation(source, epoch))}, calls_of<Op>);
}

template <class Source>
inline constexpr bool is_maker =
    !IsOperation<std::remove_cvref_t<Source>>::value && !Callable<std::remove_cvref_t<Source>>;

}  // namespace detail

/// Measures an operation according to a plan. Collective over `comm`.
///
/// `source` is an operation (`op(body)...`), a bare body, or a maker: a callable that takes the `Comm const&` of the
/// epoch and returns an operation. With `plan.epochs` > 1, each epoch calls the maker with a new duplicate of the
/// communicator, so that the maker allocates new buffers. For a plain operation, only synchronisation and warm-up are
/// repeated, and the measurement has the flag `same_buffers`.
///
/// \return the measurement, which is complete on the root; other ranks have only verdict, stop reason, counts, message
///         and `mine`
/// \throws UsageError on all ranks for an invalid plan, or if a maker threw it on any rank
/// \throws BodyError on all ranks if a body or a maker threw on any rank
/// \throws SkipPoint on all ranks if a maker threw it on any rank
/// \throws std::bad_alloc on all ranks if a maker ran out of memory on any rank
/// \throws Interrupted on all ranks if the stop flag is set on any rank
/// \throws MpiError if a call of the library to MPI fails
template <class Source>
[[nodiscard]] Measurement run(Comm const& comm, Plan const& plan, Source&& source) {
    return detail::run(
        comm, plan, [&](Comm const& epoch) { return detail::loop_of(plan.timer, source, epoch); },
        detail::is_maker<Source>);
}

/// Does not compile: an MPI_Comm must be wrapped in a Comm first.
template <class Source>
Measurement run(MPI_Comm, Plan const&, Source&&) {
    static_assert(std::is_void_v<Source>, "measure::run takes a measure::Comm; create one with `measure::Comm const "
                                          "comm{MPI_COMM_WORLD};` and keep it for all measurements");
    return {};
}
/// Does not compile: the plan is missing.
template <class Source>
Measurement run(Comm const&, Source&&) {
    static_assert(std::is_void_v<Source>, "measure::run takes a plan before the body; `measure::run(comm, {}, body)` "
                                          "uses the default plan");
    return {};
}

/// Overload for your own timer type, which is read inline in the timed loop. `plan.timer` is ignored.
template <Timer T, class Source>
[[nodiscard]] Measurement run(Comm const& comm, Plan plan, T const& timer, Source&& source) {
    plan.timer = timer;
    return detail::run(
        comm, plan,
        [&](Comm const& epoch) -> detail::Owned<detail::Loop> {
            using Op = decltype(detail::make_operation(source, epoch));
            using Held = detail::OperationOf<Op>;
            detail::Owned<detail::AnyOperation> held{new Held(detail::make_operation(source, epoch))};
            return detail::Owned<detail::Loop>{
                new detail::StageLoop<T>(timer, std::move(held), Held::template timed<T>)};
        },
        detail::is_maker<Source>);
}

/// Cost of an empty sample on this rank, with the start that the plan selects. It is the median of 64 valid samples, or
/// of fewer if 200 attempts do not give 64. With Correction::barrier the sample contains one barrier. Collective.
/// \return nothing if no sample was valid
[[nodiscard]] std::optional<seconds> empty_sample(Comm const& comm, Plan const& plan);

namespace detail {
[[nodiscard]] Plan empty_plan(Plan const& plan);
[[nodiscard]] std::optional<seconds> cost_of(Measurement const& empty);
}  // namespace detail

/// Overload for a body that does nothing, but is called in the same way as the measured ones, for example through a
/// pointer.
template <Body B>
[[nodiscard]] std::optional<seconds> empty_sample(Comm const& comm, Plan const& plan, B body) {
    return detail::cost_of(run(comm, detail::empty_plan(plan), std::move(body)));
}

/// Minimum, mean and maximum of one value per rank. Collective. The result is valid on the root only.
[[nodiscard]] RankSpread over_ranks(Comm const& comm, double value);

}  // namespace measure
#pragma GCC visibility pop
