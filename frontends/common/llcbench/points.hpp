// SPDX-License-Identifier: BSD-3-Clause
/// Points: what a point that the library's own run has not measured, or not long enough, becomes in the record. Pure.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/stopping.hpp>
#include <measure/units.hpp>

#include <span>

namespace llcbench {

/// A measurement as the library's own runs report it. \param times  of the samples, s
[[nodiscard]] measure::Measurement measurement(std::span<double const> times, measure::Decision decision,
                                               measure::seconds elapsed);

/// The same record without a number: the timer cannot see so short a time.
[[nodiscard]] measure::Record too_short(measure::Record record);

}  // namespace llcbench
