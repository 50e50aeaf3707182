// SPDX-License-Identifier: BSD-3-Clause
/// Operation: what is measured. A body, and what belongs to it outside or at the end of the timed region.
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

/// Which execution of the body this is.
struct Iteration {
    std::int64_t index = 0;   ///< executions before this one in this epoch, warm-up included
    std::int64_t sample = 0;  ///< attempt, counted from 0; during warm-up -1, -2, ..
};

/// The executions of one sample, for a body that repeats itself: a loop of its own around something short, which the
/// compiler sees as a whole.
struct Iterations {
    std::int64_t index = 0;  ///< executions before these in this epoch, warm-up included
    std::int64_t count = 1;  ///< how many to do, >= 1
};

/// Handed to a body that takes `auto& lap`: marks phases, spins on the plan's timer, narrows the timed region. Marks
/// sit in a fixed array; a mark costs one clock reading.
template <Timer T>
class Lap {
public:
    /// The library makes it, one for each sample.
    Lap(T const& timer, Iteration it) noexcept : timer_{&timer}, iteration_{it} {}

    [[nodiscard]] Iteration iteration() const noexcept { return iteration_; }  ///< which execution of the body this is
    /// Called by the library between two executions of one sample.
    [[gnu::always_inline]] void advance() noexcept { ++iteration_.index; }
    /// Ends the current phase and begins the next. Marks beyond the last phase are ignored.
    [[gnu::always_inline]] void mark() noexcept {
        if (count_ < max_phases)
            marks_[count_++] = timer_->now();
    }
    /// The timed region begins here instead of before the body.
    [[gnu::always_inline]] void begin() noexcept {
        begin_ = begin_stamp(*timer_);
        has_begin_ = true;
    }
    /// The timed region ends here instead of after the body.
    [[gnu::always_inline]] void end() noexcept {
        end_ = end_stamp(*timer_);
        has_end_ = true;
    }
    /// Spins for `duration` from now on; a clock that goes back is not waited for.
    void spin(seconds duration) const noexcept {
        auto const first = timer_->now();
        auto const deadline = timer_->after(first, duration);
        for (auto now = timer_->now(); now < deadline && !(now < first); now = timer_->now()) {
        }
    }
    /// Spins like a computation that looks after its communication: calls poll() each `every`.
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

    using stamp = typename T::stamp;                                     ///< what the plan's timer counts in
    [[nodiscard]] std::size_t marks() const noexcept { return count_; }  ///< how many phases `mark` has ended
    [[nodiscard]] stamp mark_at(std::size_t i) const noexcept {
        return marks_[i];
    }  ///< the end of phase i; i < marks()
    /// The stamp of `begin()`, or `s` where the body did not call it.
    [[nodiscard]] stamp begin_or(stamp s) const noexcept { return has_begin_ ? begin_ : s; }
    /// The stamp of `end()`, or `s` where the body did not call it.
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
/// Callable as a body is, whatever it returns.
template <class F>
concept Callable = TakesLap<F> || TakesIteration<F> || TakesIterations<F> || TakesNothing<F>;

/// What says whether an operation succeeded: nothing (it did), bool, MPI's return code.
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

/// What can be a body: callable with an Iteration, with nothing, with `auto& lap`, or with `Iterations`, all of which
/// it then does itself; it returns one of three things.
///
///     int   a return code of MPI: what is not MPI_SUCCESS says that the operation failed
///     bool  whether the operation succeeded
///     void  it succeeded
///
/// A failure on any rank makes the sample invalid (InvalidReason::failed). A body that returns anything else does not
/// compile: use `keep` for a result that is only to be computed. A body that throws ends the run with one agreed
/// BodyError on all ranks.
template <class F>
concept Body = detail::Callable<F> && detail::answers<F>();

/// What can end a sample: callable with nothing, and returns like a body.
template <class F>
concept FinishHook = detail::TakesNothing<F> && detail::answers<F>();

/// A body with its optional hooks; made by `op`. A value: buffers that it owns die with it.
template <detail::Callable B, class Finish = detail::Nothing, class Prepare = detail::Nothing>
struct Operation {
    static_assert(Body<B>, "a body returns MPI's code as an int, or a bool that is true for success, or void: give a "
                           "result that is only to be computed to measure::keep");
    static_assert(FinishHook<Finish>,
                  "a finish hook takes nothing, and returns MPI's code as an int, or a bool that is "
                  "true for success, or void");

    B body;                                  ///< what is timed
    Finish finish_hook{};                    ///< see `finish`
    Prepare prepare_hook{};                  ///< see `prepare`
    std::vector<std::string> phase_names{};  ///< see `phases`
    Callback<std::string(B&)> check_hook{};  ///< see `check`; empty: nothing is checked

    /// `hook()` runs once at the end of each sample, timed: an acknowledgement, a file sync, a wait for all. It
    /// returns like a body.
    template <class F>
    [[nodiscard]] Operation<B, F, Prepare> finish(F hook) && {
        return {std::move(body), std::move(hook), std::move(prepare_hook), std::move(phase_names),
                std::move(check_hook)};
    }
    /// `hook(Iteration)` or `hook()` runs before each sample, not timed: cache flush, buffer rotation. With slots it
    /// shares the slot, before the wait for its start.
    template <class F>
    [[nodiscard]] Operation<B, Finish, F> prepare(F hook) && {
        return {std::move(body), std::move(finish_hook), std::move(hook), std::move(phase_names),
                std::move(check_hook)};
    }
    /// Names of the phases that the body marks with `lap.mark()`: one mark less than names. Only with one iteration per
    /// sample.
    [[nodiscard]] Operation phases(std::vector<std::string> names) && {
        phase_names = std::move(names);
        return std::move(*this);
    }
    /// `hook(body)` runs once after the last sample of an epoch, outside all timing, on all ranks: it may execute the
    /// body once more and look at what arrives. It returns what is wrong on this rank, "" where nothing is; what the
    /// lowest rank says becomes `Measurement::data_error`.
    [[nodiscard]] Operation check(Callback<std::string(B&)> hook) && {
        check_hook = std::move(hook);
        return std::move(*this);
    }
};

/// Makes an operation of a body.
template <detail::Callable B>
[[nodiscard]] Operation<B> op(B body) {
    return {std::move(body)};
}
/// Refuses to compile for anything that cannot be a body, and says so.
template <class B>
requires(!detail::Callable<B>) [[nodiscard]] auto op(B const&) {
    static_assert(detail::Callable<B>, "a body takes nothing, a measure::Iteration, measure::Iterations, or auto& lap");
    return Operation<detail::Nothing>{};
}

namespace detail {

/// The code of what failed without one: no code of MPI is negative.
inline constexpr int no_code = -1;

/// Calls what answers. \return 0 if it succeeded, otherwise MPI's code or `no_code`
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

/// The iterations of one sample of a body without a lap. \return 0 if all succeeded, otherwise the first code that is
/// not
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

/// The same for any body.
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
