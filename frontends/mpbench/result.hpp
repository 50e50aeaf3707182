// SPDX-License-Identifier: BSD-3-Clause
/// Result: computes records from times. Pure.
#pragma once

#include "mpbench/options.hpp"

#include <measure/record.hpp>
#include <measure/timer_info.hpp>
#include <measure/units.hpp>

#include <optional>

namespace mpbench {

/// The facts about a point that its measurement does not contain.
struct Facts {
    int tasks = 2;
    bool oversubscribed = false;
    bool flush_each = false;            ///< samples are operations timed separately, not loops
    measure::TimerInfo timer{};         ///< resolution and overhead of the timer
    std::optional<double> call_time{};  ///< isend: seconds per call that begins a send
    llcbench::Statistic statistic = llcbench::Statistic::mean;
};

/// Converts the times of a measurement to a record in base units whose value is the selected statistic. A measurement
/// that was too short for the timer has no valid samples.
[[nodiscard]] measure::Record result(measure::Record times, Test const& test, Facts const& facts);

}  // namespace mpbench
