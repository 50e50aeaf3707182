// SPDX-License-Identifier: BSD-3-Clause
/// The classical timed loop: one clock reading, n iterations, one clock reading. Unlike `run`, it has no common starts,
/// no checks of samples and no stopping rules.
#pragma once

#include "measure/operation.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// Result of a timed loop on one rank.
struct IterationsTime {
    seconds total{0};             ///< time of all iterations and the finish hook, s
    std::int64_t iterations = 0;  ///< number of executions of the body
    bool succeeded = true;        ///< false if an iteration or the finish hook reported a failure
    /// Whether the clock went back, so that the time is meaningless.
    [[nodiscard]] bool is_backward() const noexcept { return total < seconds{0}; }
    /// Time per iteration, s; 0 without iterations.
    [[nodiscard]] seconds each() const noexcept {
        return iterations > 0 ? total / static_cast<double>(iterations) : seconds{0};
    }
};

/// Times `iterations` executions of the operation's body and its finish hook, between two clock readings. Local, even
/// if the body communicates: the ranks are not synchronised. Exceptions of the body are passed on. The prepare hook is
/// not called.
/// \param iterations  number of executions, >= 0
/// \param first       index of the first iteration; `Iteration::sample` is always 0
template <Timer T, class B, class Finish, class Prepare>
[[nodiscard]] IterationsTime time_iterations(T const& timer, Operation<B, Finish, Prepare>& operation,
                                             std::int64_t iterations, std::int64_t first = 0) {
    Lap<T> lap(timer, {.index = first});
    auto const opened = begin_stamp(timer);
    int const body = detail::iterate(operation.body, lap.iteration(), lap, iterations);
    int const finish = detail::code_of(operation.finish_hook);
    auto const closed = end_stamp(timer);
    alive();
    bool const succeeded = body == MPI_SUCCESS && finish == MPI_SUCCESS;
    return {timer.between(lap.begin_or(opened), lap.end_or(closed)), iterations, succeeded};
}

/// Overload for a timer that is known at run time. It is selected before the first reading.
template <class B, class Finish, class Prepare>
[[nodiscard]] IterationsTime time_iterations(AnyTimer const& timer, Operation<B, Finish, Prepare>& operation,
                                             std::int64_t iterations, std::int64_t first = 0) {
    return timer.visit([&](auto const& concrete) { return time_iterations(concrete, operation, iterations, first); });
}

}  // namespace measure
#pragma GCC visibility pop
