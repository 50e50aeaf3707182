// SPDX-License-Identifier: BSD-3-Clause
/// Faults of algorithms, injected on purpose, only in builds with tests.
#pragma once

#include "program/runtime/session.hpp"

#include <measure/units.hpp>

#include <functional>
#include <string>

namespace measure::tool::tune {

/// How an algorithm of a collective misbehaves.
struct Fault {
    std::function<void()> before{};  ///< executed before a call whose data are checked
    bool fails = false;              ///< report an error instead of making such a call
    bool spoils = false;             ///< corrupt the result of such a call on the last rank
    measure::seconds longer{0};      ///< extra time of each timed call
};

/// The fault of an algorithm. Its name is "tuned" when a tuned file is in use.
using Faults = std::function<Fault(std::string const& collective, std::string const& algorithm)>;

/// Defined in tests/hooks and in no_faults.cpp. Collective.
[[nodiscard]] Faults faults_from(program::Session& session);

}  // namespace measure::tool::tune
