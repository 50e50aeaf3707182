// SPDX-License-Identifier: BSD-3-Clause
/// Copies: measures the same point in several processes at the same time, each on its own core. Local.
#pragma once

#include <measure/control.hpp>
#include <measure/measurement.hpp>

#include <functional>
#include <vector>

namespace cachebench {

/// The work of a copy in its own process. It calls `ready()` before its first timed block, which returns when all
/// copies have called it.
using Copy = std::function<measure::Measurement(std::function<void()> ready)>;

/// Starts the copies, the i-th on the i-th core that this process may use, and waits for all of them. The returned
/// measurements contain only the verdict, stop reason, data error, estimate, counts, settling, and the times and
/// iterations of the samples.
/// \param control  control of this process: its stop flag ends the copies; `decision` is called while waiting
/// \throws measure::Interrupted; std::runtime_error if a copy fails or dies, after all others were ended
[[nodiscard]] std::vector<measure::Measurement> run_copies(int n, Copy const& copy, measure::Control const& control);

/// Number of cores that this process may use.
[[nodiscard]] int usable_cores();

}  // namespace cachebench
