// SPDX-License-Identifier: BSD-3-Clause
/// Timer info: what a timer was worth.
#pragma once

#include "measure/units.hpp"

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace measure {

/// What a timer is worth, measured on this rank.
struct TimerInfo {
    std::string name;           ///< as `timer_from` takes it
    double frequency = 0;       ///< ticks per second where the clock has such a thing, otherwise 0
    seconds nominal{};          ///< step that the clock claims
    seconds resolution{};       ///< smallest step seen
    seconds granularity{};      ///< most frequent step seen, to a tenth of a nanosecond
    seconds overhead{};         ///< cost of one reading, median of 31 batches of 1000
    seconds overhead_p99{};     ///< 99th percentile of the distance of two successive readings of those batches
    std::int64_t backward = 0;  ///< steps back in time; not 0: the timer is broken
};

}  // namespace measure
#pragma GCC visibility pop
