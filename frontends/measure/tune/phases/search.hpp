// SPDX-License-Identifier: BSD-3-Clause
/// Search: finds the remaining algorithms at each size, and the sizes between which the leader changes. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Screens all sizes, and further sizes where the leader changes. Fills the segments.
void search(Context& c);

}  // namespace measure::tool::tune
