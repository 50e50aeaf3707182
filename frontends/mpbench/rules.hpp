// SPDX-License-Identifier: BSD-3-Clause
/// Rules: the number of iterations of each size and the bytes that count. Pure.
#pragma once

#include "mpbench/catalogue.hpp"

#include <measure/stopping.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <cstdint>

namespace mpbench {

/// Shortest accepted loop, in multiples of the timer's resolution.
inline constexpr double fewest_steps = 20;

/// Rules for the number of iterations. Must be equal on all tasks.
struct Rules {
    std::int64_t iterations = 500;                    ///< iterations of a loop, from -i; >= 1
    measure::Bytes max_volume = 256 * measure::mebi;  ///< maximum volume of a size in bytes; >= 1
    measure::seconds max_seconds{10};                 ///< maximum time of one repetition of a size
    bool exact = false;                               ///< always make `iterations`, without limits of volume or time
    double standard_error = 0;                        ///< relative; > 0: repeat loops until it is reached
    bool flush_each = false;                          ///< flush the caches before each operation and time it separately
    /// Number of samples that a loop of `loop` iterations yields.
    [[nodiscard]] std::int64_t samples(std::int64_t loop) const noexcept { return flush_each ? loop : 1; }
};

/// Iterations by volume: floor(max_volume / bytes), limited to the range from min(5, `iterations`) to `iterations`. At
/// most 10^4 for tests whose messages wait at the same time.
/// \param bytes  0: an operation without data
[[nodiscard]] std::int64_t by_volume(Rules const& rules, Kind kind, measure::Bytes bytes) noexcept;

/// Iterations that fit into `max_seconds`: at most `n`, at least 1. \param each  time of one operation
[[nodiscard]] std::int64_t within_time(Rules const& rules, std::int64_t n, measure::seconds each) noexcept;

/// Increases the number of iterations tenfold if a loop was too short for the timer. The limit is 10^6, or 10^4 for
/// tests whose messages wait at the same time.
/// \return n if the loop was long enough or cannot be longer
[[nodiscard]] std::int64_t longer(Rules const& rules, Kind kind, std::int64_t n, measure::seconds loop,
                                  measure::seconds resolution) noexcept;

/// Stops after one loop. With a standard error: repeats loops until it is reached, with 5 to 100 loops, for at most
/// `max_seconds` unless `exact`.
/// \param loop  samples of a loop: 1, or its iterations if each is timed separately, of which 5 suffice for an error
[[nodiscard]] measure::StoppingRule stopping(Rules const& rules, std::int64_t loop = 1);

/// Bytes of the message of each task: 0 for the barrier, a multiple of `tasks` for alltoall.
/// \param tasks  number of tasks of the program
[[nodiscard]] measure::Bytes message_bytes(Kind kind, measure::Bytes bytes, int tasks) noexcept;

/// Bytes of one iteration that count for the rate. \param bytes  as returned by `message_bytes`
[[nodiscard]] measure::Bytes counted_bytes(Kind kind, measure::Bytes bytes) noexcept;

}  // namespace mpbench
