// SPDX-License-Identifier: BSD-3-Clause
/// Probe: every rank examines its host and itself, and all watch together for interruptions.
#pragma once

#include "doctor/findings.hpp"
#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <string>
#include <vector>

namespace measure::tool::doctor {

struct ProbeRules {
    measure::seconds duration{2};  ///< duration of the observation, > 0
    /// Folders with simulated files instead of the system's, assigned to the ranks in turn; empty: the real system.
    /// With a simulated tree, ranks neither watch nor check timers. The files measure/host and measure/rank give the
    /// results in lines "NAME VALUE".
    std::vector<std::string> trees{};
};

/// Collective. \return complete on the root, empty on the others
[[nodiscard]] World examine(program::Session& session, ProbeRules const& rules);

}  // namespace measure::tool::doctor
