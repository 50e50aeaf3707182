// SPDX-License-Identifier: BSD-3-Clause
/// Method: rows measured by a plan of the library instead of the loop, and the setup as the record shows it. Pure.
#pragma once

#include "pmb/setup.hpp"

#include <measure/control.hpp>
#include <measure/plan.hpp>
#include <measure/record.hpp>
#include <measure/statistics.hpp>
#include <measure/timer.hpp>

#include <cstdint>

namespace pmb {

/// Loops that are measured at least where they are repeated.
inline constexpr std::int64_t fewest_loops = 5;

/// Standard error over mean; not a number where there is none.
[[nodiscard]] double relative_error(measure::Estimate const& estimate) noexcept;

/// Single calls with a common start, or, without -start, loops of n repetitions behind a barrier. They stop when the
/// standard error that the table shows is small enough, otherwise with n valid calls; at the latest after the time that
/// is set for a length.
/// \param n  repetitions of the row, >= 1
[[nodiscard]] measure::Plan plan(Setup const& setup, std::int64_t n, measure::AnyTimer const& timer, bool keep_samples,
                                 measure::Control control);

[[nodiscard]] measure::Value describe(Options const& options, Setup const& setup);

}  // namespace pmb
