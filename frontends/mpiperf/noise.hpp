// SPDX-License-Identifier: BSD-3-Clause
/// Noise: what interrupts the processes, with all of them watching at once.
#pragma once

#include "mpiperf/options.hpp"
#include "program/runtime/session.hpp"

#include <measure/detours.hpp>

#include <span>
#include <string>

namespace mpiperf {

/// Watches for as long as the options say and prints a row per process. Collective.
void measure_noise(Options const& options, program::Session& session);

/// Watches for a moment before a campaign and adds what it saw to the run record, as `noise`. Collective; before
/// Session::begin. \return the line of the header, on the root
[[nodiscard]] std::string note_noise(program::Session& session);

/// A row per process, then what is lost at most, then a warning where there is something to warn of.
/// \param hostnames  [ranks]
[[nodiscard]] std::string noise_table(std::span<measure::DetourSummary const> ranks,
                                      std::span<std::string const> hostnames);

}  // namespace mpiperf
