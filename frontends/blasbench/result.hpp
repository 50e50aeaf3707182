// SPDX-License-Identifier: BSD-3-Clause
/// Result: the records that are made of times and counts. Pure.
#pragma once

#include "blasbench/catalogue.hpp"
#include "llcbench/statistic.hpp"

#include <measure/record.hpp>
#include <measure/timer_info.hpp>

#include <cstdint>
#include <optional>

namespace blasbench {

/// What of a point is not in its coordinates.
struct Facts {
    Routine const* routine = nullptr;
    Precision precision = Precision::real64;
    std::int64_t iterations = 1;   ///< calls that the rule asks for; fewer are made where they would take too long
    std::int64_t leading = 0;      ///< dimension of the matrices; 0: of each its own rows
    std::optional<double> peak{};  ///< MFLOPS
    measure::TimerInfo timer{};    ///< what the timer is worth
    llcbench::Statistic statistic = llcbench::Statistic::mean;
};

/// Of a point's problem: m, n and k, or n alone where it is square.
[[nodiscard]] Dimensions dimensions_at(measure::Point const& at);

/// The record of a measurement: flop/s, led by the statistic, with `bandwidth`, `time_per_reference`, `iterations`,
/// `bytes_used`, `leading_dimension`, `deviation` and `efficiency` in `derived`. The cost of a reading is taken off
/// each block, unless hardly anything would be left; blocks that are near the timer's floor are flagged.
[[nodiscard]] measure::Record result(measure::Record times, Facts const& facts);

/// What is printed of a record; nothing where it has no value.
struct Figures {
    double mflops = 0;
    double megabytes = 0;    ///< per second, of 2^20 bytes: all references, however many of them reach the memory
    double nanoseconds = 0;  ///< per reference
};
[[nodiscard]] std::optional<Figures> figures(measure::Record const& record, Facts const& facts);

}  // namespace blasbench
