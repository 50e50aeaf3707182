// SPDX-License-Identifier: BSD-3-Clause
/// Noise: interruptions of the processes, with all of them watching at the same time.
#pragma once

#include "mpiperf/options.hpp"
#include "program/runtime/session.hpp"

#include <measure/detours.hpp>

#include <span>
#include <string>

namespace mpiperf {

/// Watches for the duration in the options and prints one row per process. Collective.
void measure_noise(Options const& options, program::Session& session);

/// Watches for 20 ms before a campaign and adds the result to the run record as `noise`. Collective; call before
/// Session::begin. \return the line of the header, on the root
[[nodiscard]] std::string note_noise(program::Session& session);

/// One row per process, then the worst loss, then a warning if there is a reason for one.
/// \param hostnames  [ranks]
[[nodiscard]] std::string noise_table(std::span<measure::DetourSummary const> ranks,
                                      std::span<std::string const> hostnames);

}  // namespace mpiperf
