// SPDX-License-Identifier: BSD-3-Clause
/// Operation: the code to measure. It consists of a body and optional hooks. Hooks run before the timed region, at its
/// end, or after the last sample.
#pragma once

#include "measure/callback.hpp"
#include "measure/heartbeat.hpp"
#include "measure/sample.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Identifies one execution of the body.
struct Iteration {
    std::int64_t index = 0;   ///< number of earlier executions in this epoch, including warm-up
    std::int64_t sample = 0;  ///< number of the attempt, from 0; during warm-up -1, -2, ..
};

/// All executions of one sample, for a body that contains the loop. The compiler can then optimise the loop around a
/// short operation as a whole.
struct Iterations {
    std::int64_t index = 0;  ///< number of earlier executions in this epoch, including warm-up
    std::int64_t count = 1;  ///< number of executions that the body must do, >= 1
};

/// Argument of a body that takes `auto& lap`. The body can mark phases, begin or end the timed region, and spin for a
/// time measured with the plan's timer. A mark costs one clock reading and does not allocate. Local.
template <Timer T>
class Lap {
public:
    /// Created by the library, once per sample.
    Lap(T const& timer, Iteration it) noexcept : timer_{&timer}, iteration_{it} {}

    [[nodiscard]] Iteration iteration() const noexcept { return iteration_; }  ///< the current execution of the body
    /// Called by the library between the executions of a sample.
    [[gnu::always_inline]] void advance() noexcept { ++iteration_.index; }
    /// Ends the current phase and begins the next one. Marks beyond the last phase are ignored.
    [[gnu::always_inline]] void mark() noexcept {
        if (count_ < max_phases)
            marks_[count_++] = timer_->now();
    }
    /// Begins the timed region here instead of before the body.
    [[gnu::always_inline]] void begin() noexcept {
        begin_ = begin_stamp(*timer_);
        has_begin_ = true;
    }
    /// Ends the timed region here instead of after the body.
    [[gnu::always_inline]] void end() noexcept {
        end_ = end_stamp(*timer_);
        has_end_ = true;
    }
    /// Spins for `duration` seconds. Returns early if the clock goes back.
    void spin(seconds duration) const noexcept {
        auto const first = timer_->now();
        auto const deadline = timer_->after(first, duration);
        for (auto now = timer_->now(); now < deadline && !(now < first); now = timer_->now()) {
        }
    }
    /// Spins for `duration` and calls poll() at intervals of `every`, like a computation that progresses communication.
    template <class Poll>
    void spin(seconds duration, seconds every, Poll&& poll) const {
        auto const first = timer_->now();
        auto const deadline = timer_->after(first, duration);
        auto look = timer_->after(first, every);
        for (auto now = first; now < deadline && !(now < first); now = timer_->now())
            if (!(now < look)) {
                poll();
                look = timer_->after(look, every);
            }
    }

    using stamp = typename T::stamp;                                     ///< stamp type of the plan's timer
    [[nodiscard]] std::size_t marks() const noexcept { return count_; }  ///< number of phases ended by `mark`
    [[nodiscard]] stamp mark_at(std::size_t i) const noexcept {
        return marks_[i];
    }  ///< stamp at the end of phase i; i < marks()
    /// The stamp of `begin()`, or `s` if the body did not call it.
    [[nodiscard]] stamp begin_or(stamp s) const noexcept { return has_begin_ ? begin_ : s; }
    /// The stamp of `end()`, or `s` if the body did not call it.
    [[nodiscard]] stamp end_or(stamp s) const noexcept { return has_end_ ? end_ : s; }

private:
    T const* timer_;
    Iteration iteration_;
    std::size_t count_ = 0;
    std::array<stamp, max_phases> marks_{};
    stamp begin_{};
    stamp end_{};
    bool has_begin_ = false;
    bool has_end_ = false;
};

namespace detail {

struct Nothing {
    void operator()() const noexcept {}
};

template <class F>
concept TakesLap = std::is_invocable_v < F&,
        Lap<MonotonicTimer>
& > ;
template <class F>
concept TakesIteration = !TakesLap<F> && std::is_invocable_v<F&, Iteration>;
template <class F>
concept TakesIterations = !TakesLap<F> && !TakesIteration<F> && std::is_invocable_v<F&, Iterations>;
template <class F>
concept TakesNothing = !TakesLap<F> && !TakesIteration<F> && !TakesIterations<F> && std::is_invocable_v<F&>;
/// Callable like a body, with any return type.
template <class F>
concept Callable = TakesLap<F> || TakesIteration<F> || TakesIterations<F> || TakesNothing<F>;

/// Return type that shows whether an operation succeeded: void (always), bool, or an MPI error code.
template <class R>
concept Answer = std::is_void_v<R> || std::same_as < std::remove_cvref_t<R>,
bool > || std::same_as<std::remove_cvref_t<R>, int>;

template <class F>
consteval bool answers() {
    if constexpr (TakesLap<F>)
        return Answer<std::invoke_result_t<F&, Lap<MonotonicTimer>&>>;
    else if constexpr (TakesIteration<F>)
        return Answer<std::invoke_result_t<F&, Iteration>>;
    else if constexpr (TakesIterations<F>)
        return Answer<std::invoke_result_t<F&, Iterations>>;
    else if constexpr (TakesNothing<F>)
        return Answer<std::invoke_result_t<F&>>;
    else
        return false;
}

}  // namespace detail

/// A body: a callable that takes no arguments, an `Iteration`, `auto& lap`, or `Iterations`. A body that takes
/// `Iterations` does all iterations of a sample in one call. The return type of a body is one of:
///
///     int   an MPI error code; the operation failed unless it is MPI_SUCCESS
///     bool  true if the operation succeeded
///     void  the operation always succeeds
///
/// A failure on any rank makes the sample invalid (InvalidReason::failed). Bodies with another return type do not
/// compile. If a result is computed only for timing, pass it to `keep`. If a body throws, `run` throws the same
/// BodyError on all ranks.
template <class F>
concept Body = detail::Callable<F> && detail::answers<F>();

/// A hook that ends a sample: callable without arguments, with the return types of a body.
template <class F>
concept FinishHook = detail::TakesNothing<F> && detail::answers<F>();

/// A body with its optional hooks, created by `op`. It owns the body and the buffers that the body captures by value.
template <detail::Callable B, class Finish = detail::Nothing, class Prepare = detail::Nothing>
struct Operation {
    static_assert(Body<B>,
                  "a body must return an MPI error code (int), a bool that is true on success, or void; pass a "
                  "result that is computed only for timing to measure::keep");
    static_assert(FinishHook<Finish>,
                  "a finish hook takes no arguments and must return an MPI error code (int), a bool that is "
                  "true on success, or void");

    B body;                                  ///< the code to time
    Finish finish_hook{};                    ///< hook at the end of each sample, see `finish`
    Prepare prepare_hook{};                  ///< hook before each sample, see `prepare`
    std::vector<std::string> phase_names{};  ///< names of the phases, see `phases`; empty: no phases
    Callback<std::string(B&)> check_hook{};  ///< check of the results, see `check`; empty: no check

    /// Adds `hook()`, which runs once at the end of each sample, inside the timed region, such as an acknowledgement, a
    /// file sync or a wait for all ranks. It has the return types of a body.
    template <class F>
    [[nodiscard]] Operation<B, F, Prepare> finish(F hook) && {
        return {std::move(body), std::move(hook), std::move(prepare_hook), std::move(phase_names),
                std::move(check_hook)};
    }
    /// Adds `hook(Iteration)` or `hook()`, which runs before each sample and is not timed, such as a cache flush or a
    /// change of buffers. With slots, it runs before the wait for the start and takes part of the slot's time.
    template <class F>
    [[nodiscard]] Operation<B, Finish, F> prepare(F hook) && {
        return {std::move(body), std::move(finish_hook), std::move(hook), std::move(phase_names),
                std::move(check_hook)};
    }
    /// Names the phases of the body. The body separates them with `lap.mark()`: N phases need N - 1 marks. At most
    /// `max_phases` phases are measured. Requires one iteration per sample.
    [[nodiscard]] Operation phases(std::vector<std::string> names) && {
        phase_names = std::move(names);
        return std::move(*this);
    }
    /// Adds `hook(body)`, which runs on all ranks after the last sample of each epoch, outside of all timing. It may
    /// run the body once more and verify the received data. It returns the error on this rank, or "" without an error.
    /// The error of the lowest rank with an error becomes `Measurement::data_error`.
    [[nodiscard]] Operation check(Callback<std::string(B&)> hook) && {
        check_hook = std::move(hook);
        return std::move(*this);
    }
};

/// Creates an operation from a body, without hooks.
template <detail::Callable B>
[[nodiscard]] Operation<B> op(B body) {
    return {std::move(body)};
}
/// Does not compile: the argument cannot be called like a body.
template <class B>
requires(!detail::Callable<B>) [[nodiscard]] auto op(B const&) {
    static_assert(detail::Callable<B>,
                  "a body takes no arguments, a measure::Iteration, measure::Iterations, or auto& lap");
    return Operation<detail::Nothing>{};
}

namespace detail {

/// Represents the error code of an operation that failed without one. MPI error codes are never negative.
inline constexpr int no_code = -1;

/// Calls `call`. \return MPI_SUCCESS if it succeeded, otherwise the MPI error code or `no_code`
template <class F, class... Args>
[[gnu::always_inline]] inline int code_of(F& call, Args&... args) {
    using R = std::remove_cvref_t<decltype(call(args...))>;
    static_assert(Answer<R>);
    if constexpr (std::is_void_v<R>) {
        call(args...);
        return MPI_SUCCESS;
    } else if constexpr (std::same_as<R, bool>) {
        return call(args...) ? MPI_SUCCESS : no_code;
    } else {
        return call(args...);
    }
}

/// Runs the iterations of one sample, for bodies without a lap.
/// \return MPI_SUCCESS if all succeeded, otherwise the first error code
template <class B>
[[gnu::always_inline]] inline int iterate(B& body, Iteration it, std::int64_t iterations) {
    if constexpr (TakesIterations<B>) {
        Iterations const all{it.index, iterations};
        return code_of(body, all);
    } else {
        int first = MPI_SUCCESS;
        beating(iterations, [&]() {
            int code = MPI_SUCCESS;
            if constexpr (TakesIteration<B>)
                code = code_of(body, it);
            else
                code = code_of(body);
            first = first != MPI_SUCCESS ? first : code;
            ++it.index;
        });
        return first;
    }
}

/// Runs the iterations of one sample, for any body.
template <class B, Timer T>
[[gnu::always_inline]] inline int iterate(B& body, Iteration it, Lap<T>& lap, std::int64_t iterations) {
    if constexpr (TakesLap<B>) {
        int first = MPI_SUCCESS;
        beating(iterations, [&]() {
            int const code = code_of(body, lap);
            first = first != MPI_SUCCESS ? first : code;
            lap.advance();
        });
        return first;
    } else {
        return iterate(body, it, iterations);
    }
}

template <class T>
struct IsOperation : std::false_type {};
template <class B, class F, class P>
struct IsOperation<Operation<B, F, P>> : std::true_type {};
}  // namespace detail

}  // namespace measure
#pragma GCC visibility pop
