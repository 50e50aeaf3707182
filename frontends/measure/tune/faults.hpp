// SPDX-License-Identifier: BSD-3-Clause
/// Faults of algorithms, made on purpose in builds with tests; others have none.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <functional>
#include <string>

namespace measure::tool::tune {

/// How an algorithm of a collective misbehaves.
struct Fault {
    std::function<void()> before{};  ///< a call whose data is checked
    bool fails = false;              ///< instead of such a call
    bool spoils = false;             ///< what such a call has brought, on the last rank
    measure::seconds longer{0};      ///< each timed call
};

/// The fault of an algorithm, which is called "tuned" where a file that was tuned is in force.
using Faults = std::function<Fault(std::string const& collective, std::string const& algorithm)>;

/// Defined by tests/hooks, and by no_faults.cpp. Collective.
[[nodiscard]] Faults faults_from(program::Session& session);

}  // namespace measure::tool::tune
