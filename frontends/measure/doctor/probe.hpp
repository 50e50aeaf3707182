// SPDX-License-Identifier: BSD-3-Clause
/// Probe: all ranks look at their hosts and at themselves, and watch together what interrupts them.
#pragma once

#include "doctor/findings.hpp"
#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <string>
#include <vector>

namespace measure::tool::doctor {

struct ProbeRules {
    measure::seconds duration{2};  ///< of watching, > 0
    /// Folders with made-up files instead of the system's, rank by rank in turn; empty: the system itself. In a made-up
    /// tree nothing is watched and no timer checked: measure/host and measure/rank say in lines "NAME VALUE" what would
    /// have come out.
    std::vector<std::string> trees{};
};

/// Collective. \return complete on the root, empty on the others
[[nodiscard]] World examine(program::Session& session, ProbeRules const& rules);

}  // namespace measure::tool::doctor
