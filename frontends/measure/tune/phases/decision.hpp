// SPDX-License-Identifier: BSD-3-Clause
/// Decision: chooses the algorithm of each segment, from launches that measure all remaining algorithms. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Fills the choices of the segments.
void decide_all(Context& c);

}  // namespace measure::tool::tune
