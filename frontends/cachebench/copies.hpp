// SPDX-License-Identifier: BSD-3-Clause
/// Copies: the same point measured by several processes at the same time, each on a core of its own. Local.
#pragma once

#include <measure/control.hpp>
#include <measure/measurement.hpp>

#include <functional>
#include <vector>

namespace cachebench {

/// What a copy does, in its own process: measures and calls `ready()` when only the blocks are left; that returns when
/// all copies are there.
using Copy = std::function<measure::Measurement(std::function<void()> ready)>;

/// Starts the copies, the i-th on the i-th core that this process may use, and waits for all. Of the measurements only
/// verdict, stop reason, data error, estimate, counts, settling and the samples' times and iterations come back.
/// \param control  of this process: its stop flag ends the copies, `decision` is called while waiting
/// \throws measure::Interrupted; std::runtime_error where a copy fails or dies, all others being ended
[[nodiscard]] std::vector<measure::Measurement> run_copies(int n, Copy const& copy, measure::Control const& control);

/// Cores that this process may use.
[[nodiscard]] int usable_cores();

}  // namespace cachebench
