// SPDX-License-Identifier: BSD-3-Clause
/// Points: repetitions of points, and what becomes of a point in the record that the library's own run has not
/// measured, or not long enough. Pure.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/stopping.hpp>
#include <measure/sweep.hpp>
#include <measure/units.hpp>

#include <span>

namespace llcbench {

/// The axis "repetition": 0 to n - 1. \param n  >= 1
[[nodiscard]] measure::Axis repetitions(int n);

/// A measurement as the library's own runs report it. \param times  of the samples, s
[[nodiscard]] measure::Measurement measurement(std::span<double const> times, measure::Decision decision,
                                               measure::seconds elapsed);

/// The same record without a number: the timer cannot see so short a time.
[[nodiscard]] measure::Record too_short(measure::Record record);

}  // namespace llcbench
