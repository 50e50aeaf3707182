// SPDX-License-Identifier: BSD-3-Clause
/// Canary: tests whether the ranks read a file of choices at all. Local.
#pragma once

#include "tune/context.hpp"

#include <map>
#include <vector>

namespace measure::tool::tune {

/// Tests that a file with an algorithm much slower than the default makes the library's choice slow.
/// \param screened  times in which to look for such an algorithm; without one, `doubt` in the outcome is set
/// \throws std::runtime_error if the file has no effect
void look_for_effect(Context& c, std::map<Place, std::vector<ScreenedTime>> const& screened);

}  // namespace measure::tool::tune
