// SPDX-License-Identifier: BSD-3-Clause
/// Result: the records that are made of times. Pure.
#pragma once

#include "mpbench/options.hpp"

#include <measure/record.hpp>
#include <measure/timer_info.hpp>
#include <measure/units.hpp>

#include <optional>

namespace mpbench {

/// What of a point is not in its measurement.
struct Facts {
    int tasks = 2;
    bool oversubscribed = false;
    bool flush_each = false;            ///< samples are operations, each timed alone, not loops
    measure::TimerInfo timer{};         ///< what the timer is worth
    std::optional<double> call_time{};  ///< s per call that only begins: isend
    llcbench::Statistic statistic = llcbench::Statistic::mean;
};

/// The record of a test's measurement: its figure in base units, led by the statistic. One that was too short for the
/// timer has no valid samples.
[[nodiscard]] measure::Record result(measure::Record times, Test const& test, Facts const& facts);

}  // namespace mpbench
