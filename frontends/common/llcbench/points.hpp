// SPDX-License-Identifier: BSD-3-Clause
/// Points: repetitions of points, and what becomes of a point in the record that the library's own run has not
/// measured, or not long enough. Pure.
#pragma once

#include <measure/measurement.hpp>
#include <measure/record.hpp>
#include <measure/sample.hpp>
#include <measure/stopping.hpp>
#include <measure/sweep.hpp>
#include <measure/units.hpp>

#include <vector>

namespace llcbench {

/// The axis "repetition": 0 to n - 1. \param n  >= 1
[[nodiscard]] measure::Axis repetitions(int n);

/// A measurement as the library's own runs report it. \param samples  of one stage
/// \param clock_step  s per iteration; 0: not known
[[nodiscard]] measure::Measurement measurement(std::vector<measure::Sample> samples, measure::Decision decision,
                                               measure::seconds elapsed, double clock_step = 0);

/// The samples that a record's numbers are made of.
[[nodiscard]] std::vector<measure::Sample> valid_samples(measure::Record const& record);

/// The same record without a number: the timer cannot see so short a time.
[[nodiscard]] measure::Record too_short(measure::Record record);

}  // namespace llcbench
