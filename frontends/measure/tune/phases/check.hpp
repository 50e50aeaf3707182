// SPDX-License-Identifier: BSD-3-Clause
/// Check: what gives wrong data, an error, a crash or a hang is not used, and what a block of the others costs. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Each algorithm at the smallest and at the largest size. \throws std::runtime_error where the default itself fails
void check(Context& c);

}  // namespace measure::tool::tune
