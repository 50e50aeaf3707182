// SPDX-License-Identifier: BSD-3-Clause
/// Result: computes records from times and counts. Pure.
#pragma once

#include "blasbench/catalogue.hpp"
#include "llcbench/statistic.hpp"

#include <measure/record.hpp>
#include <measure/timer_info.hpp>

#include <cstdint>
#include <optional>

namespace blasbench {

/// The facts about a point that its coordinates do not contain.
struct Facts {
    Routine const* routine = nullptr;
    Precision precision = Precision::real64;
    std::int64_t iterations = 1;   ///< calls that the rule requires; fewer are made if they take too long
    std::int64_t leading = 0;      ///< leading dimension of all matrices; 0: each uses its own rows
    std::optional<double> peak{};  ///< peak of the machine, MFLOPS
    measure::TimerInfo timer{};    ///< resolution and overhead of the timer
    llcbench::Statistic statistic = llcbench::Statistic::mean;
};

/// The dimensions of a point's problem: m, n and k, or only n if the problem is square.
[[nodiscard]] Dimensions dimensions_at(measure::Point const& at);

/// Converts the times of a measurement to a record in flop/s whose value is the selected statistic. `derived` holds
/// `bandwidth`, `time_per_reference`, `iterations`, `bytes_used`, `leading_dimension`, `deviation` and `efficiency`.
/// The cost of a clock reading is subtracted from each block, unless hardly anything would be left. Records whose
/// blocks are near the timer's floor are flagged.
[[nodiscard]] measure::Record result(measure::Record times, Facts const& facts);

/// The printed figures of a record; nullopt if the record has no value.
struct Figures {
    double mflops = 0;
    double megabytes = 0;    ///< MB/s of 2^20 bytes; counts all references, including those served by caches
    double nanoseconds = 0;  ///< time of one reference
};
[[nodiscard]] std::optional<Figures> figures(measure::Record const& record, Facts const& facts);

}  // namespace blasbench
