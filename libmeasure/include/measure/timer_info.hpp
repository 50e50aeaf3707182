// SPDX-License-Identifier: BSD-3-Clause
/// Timer info: what a timer was worth.
#pragma once

#include "measure/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// What a timer is worth, measured on this rank.
struct TimerInfo {
    std::string name{};         ///< as `timer_from` takes it
    double frequency = 0;       ///< ticks per second where the clock has such a thing, otherwise 0
    seconds nominal{};          ///< step that the clock claims
    seconds resolution{};       ///< smallest step seen
    seconds granularity{};      ///< most frequent step seen, to a tenth of a nanosecond
    seconds overhead{};         ///< cost of one reading, median of 31 batches of 1000
    seconds overhead_p99{};     ///< 99th percentile of the distance of two successive readings of those batches
    std::int64_t backward = 0;  ///< steps back in time; not 0: the timer is broken
    /// The step that was seen, or the nominal one where the clock did not move during the calibration.
    [[nodiscard]] constexpr seconds step() const noexcept { return resolution > seconds{0} ? resolution : nominal; }
};

/// The flag of times for which `is_near_timer_floor` holds.
inline constexpr std::string_view near_timer_floor = "near_timer_floor";
/// Whether a time shows the clock rather than the operation: it is less than ten times the cost of a reading or the
/// step. All programs set their flag by this function.
/// \param time  between two readings, all iterations  \param reading  cost of one  \param step  by `seen_step`
[[nodiscard]] constexpr bool is_near_timer_floor(seconds time, seconds reading, seconds step) noexcept {
    constexpr double least = 10;
    return time < least * reading || time < least * step;
}
/// The same for a timer that was calibrated.
[[nodiscard]] constexpr bool is_near_timer_floor(seconds time, TimerInfo const& timer) noexcept {
    return is_near_timer_floor(time, timer.overhead, timer.step());
}

}  // namespace measure
#pragma GCC visibility pop
