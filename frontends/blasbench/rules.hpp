// SPDX-License-Identifier: BSD-3-Clause
/// Rules: how many calls a problem gets, and how they are timed: in blocks between two clock readings. Local.
#pragma once

#include "llcbench/flush.hpp"
#include "operation.hpp"

#include <measure/control.hpp>
#include <measure/environment.hpp>
#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace blasbench {

/// How many calls the problems of a series get.
enum class Iterations {
    falling,   ///< as many references as the smallest one has
    chain,     ///< the same by the original's chain of roundings
    constant,  ///< all the same
};

struct Rules {
    std::int64_t iterations = 100'000;  ///< of the smallest problem, which is the most
    Iterations kind = Iterations::falling;
    double standard_error = 0;  ///< relative; > 0: blocks until it is reached, 5 to 10^5, for about 10 s at most
};

/// Calls in a block for each problem of a series, at least 1.
/// falling: floor(I r / r(n)) with the fewest references r of all; chain: floor(previous I * previous r / r(n)).
/// \param references  of one call, in the order of the series
[[nodiscard]] std::vector<std::int64_t> iterations(Rules const& rules, std::span<double const> references);

/// What a problem is timed with. All of it outlives the call.
struct Stopwatch {
    measure::AnyTimer timer{};
    measure::seconds step{};        ///< of the clock, as it claims
    measure::seconds resolution{};  ///< smallest step seen, or the cost of a reading where that is more
    measure::seconds cost{};        ///< of a reading
    measure::Control control{};
};
[[nodiscard]] Stopwatch stopwatch(measure::AnyTimer const& timer, measure::TimerInfo const& info,
                                  measure::Control control);

/// A timed problem. Blocks are the samples of the measurement, each of `iterations` calls.
struct Timed {
    measure::Measurement blocks{};
    std::int64_t iterations = 1;
    double correction = 0;                ///< cost of a reading that is taken off each block, s
    bool near_timer_floor = false;        ///< the median block is shorter than 10 readings
    std::optional<std::string> defect{};  ///< no number: the result of a call is wrong
    /// Times of the blocks less the correction, s. The mean is above zero.
    [[nodiscard]] std::vector<double> times() const;
};

/// The calls of a block that the clock can see: `calls`, doubled until a block takes 1000 of the clock's steps and 50
/// readings; fewer than `calls` where these would last longer than 1 s.
[[nodiscard]] std::int64_t enough_calls(Operation& operation, std::int64_t calls, Stopwatch const& watch);

/// Blocks of `calls` calls (as many as are `enough_calls`, unless their number is constant) until they take 1000 of the
/// timer's resolution together and there are 3 of them, or 2 that take 0.2 s; where the number is constant there
/// are 10. After 5 s there are enough in any case. \param flush  before the first block, or nullptr \throws
/// measure::Interrupted
[[nodiscard]] Timed time_calls(Operation& operation, Rules const& rules, std::int64_t calls, Stopwatch const& watch,
                               llcbench::Flush* flush);

/// What of a point is recorded beside its rate.
struct Facts {
    Routine const* routine = nullptr;
    Precision precision = Precision::real64;
    std::int64_t n = 0;
    std::int64_t leading = 0;
    std::optional<double> peak{};  ///< MFLOPS
};
/// The record of a point: flop/s. `at` is the caller's. A point whose result is wrong is crashed; one that the time
/// budget did not reach is skipped.
[[nodiscard]] measure::Record record(Facts const& facts, measure::Point at, Timed const& timed);

}  // namespace blasbench
