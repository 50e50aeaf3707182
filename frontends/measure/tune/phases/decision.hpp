// SPDX-License-Identifier: BSD-3-Clause
/// Decision: which algorithm each segment gets, from launches that measure all that are left. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Fills the choices of the segments.
void decide_all(Context& c);

}  // namespace measure::tool::tune
