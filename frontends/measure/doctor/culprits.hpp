// SPDX-License-Identifier: BSD-3-Clause
/// Culprits: what interrupted the ranks of a host most while they watched. Pure.
#pragma once

#include "doctor/checks.hpp"

#include <string>

namespace measure::tool::doctor {

/// "most interrupts: timer 250/s, eth0 40/s; most time of others: python3 3 %": at most three of each. The rate of a
/// source is its largest one on a processing unit that the ranks may use. The time of a program is that of all its
/// processes, as a share of a core. Empty where nothing was seen.
[[nodiscard]] std::string culprits(HostView const& view);

}  // namespace measure::tool::doctor
