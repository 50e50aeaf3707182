// SPDX-License-Identifier: BSD-3-Clause
/// Timer info: measured properties of a timer.
#pragma once

#include "measure/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace measure {

/// Properties of a timer, measured on this rank by `calibrate`.
struct TimerInfo {
    std::string name{};         ///< name that `timer_from` accepts
    double frequency = 0;       ///< ticks per second; 0 for a timer without a frequency
    seconds nominal{};          ///< nominal step of the clock
    seconds resolution{};       ///< smallest observed step; 0 if the clock did not advance
    seconds granularity{};      ///< most frequent observed step, rounded to 0.1 ns; 0 if the clock did not advance
    seconds overhead{};         ///< cost of one reading: median of up to 31 batches of 1000 readings
    seconds overhead_p99{};     ///< 99th percentile of the time between successive readings in these batches
    std::int64_t backward = 0;  ///< number of steps back in time; if not 0, the timer is broken
    /// The smallest observed step, or the nominal one if the clock did not advance during the calibration.
    [[nodiscard]] constexpr seconds step() const noexcept { return resolution > seconds{0} ? resolution : nominal; }
};

/// Flag of points whose time is too short for the timer, see `is_near_timer_floor`.
inline constexpr std::string_view near_timer_floor = "near_timer_floor";
/// Whether a time reflects the clock rather than the operation: it is less than ten times the cost of a reading or the
/// step of the clock. All programs set the flag with this function. Pure.
/// \param time     time between two readings, with all iterations
/// \param reading  cost of one reading
/// \param step     step of the clock, by `seen_step`
[[nodiscard]] constexpr bool is_near_timer_floor(seconds time, seconds reading, seconds step) noexcept {
    constexpr double least = 10;
    return time < least * reading || time < least * step;
}
/// Overload for a calibrated timer.
[[nodiscard]] constexpr bool is_near_timer_floor(seconds time, TimerInfo const& timer) noexcept {
    return is_near_timer_floor(time, timer.overhead, timer.step());
}

}  // namespace measure
#pragma GCC visibility pop
