// SPDX-License-Identifier: BSD-3-Clause
/// Method: plans for rows that the library measures instead of the loop, and the setup in the record. Pure.
#pragma once

#include "pmb/setup.hpp"

#include <measure/control.hpp>
#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/statistics.hpp>
#include <measure/timer.hpp>

#include <cstdint>

namespace pmb {

/// Smallest number of loops if loops are repeated.
inline constexpr std::int64_t fewest_loops = 5;

/// Standard error over mean; NaN if there is no standard error or the mean is not positive.
[[nodiscard]] double relative_error(measure::Estimate const& estimate) noexcept;

/// Plan for single calls with a common start, or, without -start, for loops of n repetitions after a barrier. Stops
/// when the printed standard error is small enough, or else after n valid calls; at the latest after the time limit
/// per length.
/// \param n  repetitions of the row, >= 1
[[nodiscard]] measure::Plan plan(Setup const& setup, std::int64_t n, measure::AnyTimer const& timer, bool keep_samples,
                                 measure::Control control);

[[nodiscard]] measure::Value describe(Options const& options, Setup const& setup);

}  // namespace pmb
