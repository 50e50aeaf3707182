// SPDX-License-Identifier: BSD-3-Clause
/// Rules: how often a size is measured, and what counts as its bytes. Pure.
#pragma once

#include "mpbench/catalogue.hpp"

#include <measure/stopping.hpp>
#include <measure/timer.hpp>
#include <measure/units.hpp>

#include <cstdint>

namespace mpbench {

/// A time is believed from so many steps of the timer on.
inline constexpr double fewest_steps = 20;

/// How often. The same on all tasks.
struct Rules {
    std::int64_t iterations = 500;                    ///< asked for; >= 1
    measure::Bytes max_volume = 256 * measure::mebi;  ///< of a size; >= 1
    measure::seconds max_seconds{10};                 ///< of a size and repetition
    bool exact = false;                               ///< the iterations asked for, whatever they cost
    double standard_error = 0;                        ///< relative; > 0: loops are repeated until it is reached
    bool flush_each = false;                          ///< caches are flushed before every operation, each timed alone
    /// Samples of a loop of so many iterations.
    [[nodiscard]] std::int64_t samples(std::int64_t loop) const noexcept { return flush_each ? loop : 1; }
};

/// Iterations by volume: floor(max_volume / bytes) within 5 and those asked for, or these where they are fewer. Of
/// messages that wait together at most 10^4.
/// \param bytes  0: an operation without data
[[nodiscard]] std::int64_t by_volume(Rules const& rules, Kind kind, measure::Bytes bytes) noexcept;

/// Iterations within the time: at most `n`, at least 1. \param each  cost of one operation
[[nodiscard]] std::int64_t within_time(Rules const& rules, std::int64_t n, measure::seconds each) noexcept;

/// Ten times as many where a loop was too short for the timer, up to a limit: 10^6, or 10^4 that wait together.
/// \return n where the loop was long enough, or may not be longer
[[nodiscard]] std::int64_t longer(Rules const& rules, Kind kind, std::int64_t n, measure::seconds loop,
                                  measure::seconds resolution) noexcept;

/// One loop, or as many as the standard error takes: at least 5, at most 100, within the time.
/// \param loop  samples of a loop: 1, or its iterations where each is timed alone, of which 5 are enough for an error
[[nodiscard]] measure::StoppingRule stopping(Rules const& rules, std::int64_t loop = 1);

/// Bytes of the message that each task sends at once. \param tasks  of the program
[[nodiscard]] measure::Bytes message_bytes(Kind kind, measure::Bytes bytes, int tasks) noexcept;

/// Bytes of one iteration that the rate counts. \param bytes  as `message_bytes` gives them
[[nodiscard]] measure::Bytes counted_bytes(Kind kind, measure::Bytes bytes) noexcept;

}  // namespace mpbench
