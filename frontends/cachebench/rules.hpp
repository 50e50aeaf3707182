// SPDX-License-Identifier: BSD-3-Clause
/// Rules: how a point is timed: calibration, flush, one untimed pass, blocks until time or error suffice. Local.
#pragma once

#include "llcbench/flush.hpp"
#include "operation.hpp"

#include <measure/control.hpp>
#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/timer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cachebench {

struct Rules {
    measure::seconds duration{5};                       ///< of the blocks of a point
    double standard_error = 0;                          ///< relative; > 0: stops earlier, with at least 5 blocks
    std::optional<std::int64_t> constant_iterations{};  ///< passes per point instead of a duration
    bool cold = false;                                  ///< without the untimed pass
};

/// What a point is timed with. All of it outlives the call.
struct Stopwatch {
    measure::AnyTimer timer{};
    measure::seconds resolution{};     ///< or the cost of a reading, where that is more
    llcbench::Flush* flush = nullptr;  ///< nullptr: no flush before this point
    measure::Control control{};
    std::function<void()> ready{};  ///< called when only the blocks are left to do; may wait for others
};

/// A timed point. Blocks are the samples of the measurement, each of `passes` passes.
struct Timed {
    measure::Measurement blocks{};
    std::int64_t passes = 1;
    bool too_short = false;               ///< no number: the timer cannot see so short a time
    std::optional<std::string> defect{};  ///< no number: the data are not what they must be
    [[nodiscard]] bool stands() const noexcept { return !too_short && !defect && blocks.estimate; }
    /// Times of the blocks, s.
    [[nodiscard]] std::vector<double> times() const;
};

/// A block of passes between two readings of the timer.
struct BlockLength {
    std::int64_t passes = 1;
    measure::seconds duration{};  ///< as it was seen
};

/// The block of 1, 2, 4, .. passes that takes at least 1 ms and 1000 steps of the timer.
[[nodiscard]] BlockLength calibrate(Operation& operation, Stopwatch const& watch);

/// \param damage  spoils the data before they are checked: for tests
/// \throws measure::Interrupted
[[nodiscard]] Timed time_point(Operation& operation, Rules const& rules, Stopwatch const& watch, bool damage);

/// The record of a point: bandwidth, or time per load of latency. `at` and `benchmark` are the caller's. A point whose
/// number does not stand is crashed (defect), skipped (the time budget was spent before the first block) or has no
/// valid samples (too short).
[[nodiscard]] measure::Record record(std::string benchmark, measure::Point at, Timed const& timed,
                                     Counts const& counts);

}  // namespace cachebench
