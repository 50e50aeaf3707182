// SPDX-License-Identifier: BSD-3-Clause
/// Search: which algorithms are left at which sizes, and between which sizes the leader changes. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Screens all sizes, and those in between where the leader changes; fills the segments.
void search(Context& c);

}  // namespace measure::tool::tune
