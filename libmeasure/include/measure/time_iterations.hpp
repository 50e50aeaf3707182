// SPDX-License-Identifier: BSD-3-Clause
/// The classical timed loop: one clock reading, n iterations, one clock reading. What a plan adds (common starts,
/// validity, decisions) is `run`.
#pragma once

#include "measure/operation.hpp"
#include "measure/timer.hpp"
#include "measure/units.hpp"

#include <cstdint>

#pragma GCC visibility push(default)
namespace measure {

/// What one rank saw of a timed loop.
struct IterationsTime {
    seconds total{0};             ///< of all iterations and the finish hook
    std::int64_t iterations = 0;  ///< of the body
    bool succeeded = true;        ///< false where an iteration or the finish hook said that it failed
    /// The end was read before the begin: there is no time.
    [[nodiscard]] bool is_backward() const noexcept { return total < seconds{0}; }
    /// Seconds per iteration; 0 without iterations.
    [[nodiscard]] seconds each() const noexcept {
        return iterations > 0 ? total / static_cast<double>(iterations) : seconds{0};
    }
};

/// Runs `iterations` >= 0 of the operation's body, the first with the index `first` (the sample is 0 throughout), and
/// its finish hook between two clock readings. Local, however much the body communicates: nothing is synchronised
/// before, and what the body throws passes through. The prepare hook is not called.
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

/// The same by a timer that is known at run time; it is chosen before the first reading.
template <class B, class Finish, class Prepare>
[[nodiscard]] IterationsTime time_iterations(AnyTimer const& timer, Operation<B, Finish, Prepare>& operation,
                                             std::int64_t iterations, std::int64_t first = 0) {
    return timer.visit([&](auto const& concrete) { return time_iterations(concrete, operation, iterations, first); });
}

}  // namespace measure
#pragma GCC visibility pop
