// SPDX-License-Identifier: BSD-3-Clause
/// Points: repetitions of points, and records of points that the suite measures itself or that are too short for the
/// timer. Pure.
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

/// A measurement in the form of `measure::run`. \param samples  samples of a single stage
/// \param clock_step  step of the clock, s per iteration; 0: unknown
[[nodiscard]] measure::Measurement measurement(std::vector<measure::Sample> samples, measure::Decision decision,
                                               measure::seconds elapsed, double clock_step = 0);

/// The samples from which a record's numbers are computed.
[[nodiscard]] std::vector<measure::Sample> valid_samples(measure::Record const& record);

/// The record without its number, because the time is too short for the timer.
[[nodiscard]] measure::Record too_short(measure::Record record);

}  // namespace llcbench
