// SPDX-License-Identifier: BSD-3-Clause
/// Culprits: the main causes of interruptions of a host's ranks while they watched. Pure.
#pragma once

#include "doctor/checks.hpp"

#include <string>

namespace measure::tool::doctor {

/// "most frequent interrupts: timer 250/s, eth0 40/s; busiest other programs: python3 3 %", with at most three of each.
/// The rate of a source is its largest rate on a processing unit that the ranks may use. The time of a program is the
/// sum over its processes, as a share of a core. Empty if no cause was observed.
[[nodiscard]] std::string culprits(HostView const& view);

}  // namespace measure::tool::doctor
