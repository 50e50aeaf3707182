// SPDX-License-Identifier: BSD-3-Clause
/// Check: excludes algorithms with wrong data, an error, a crash or a hang, and times a block of the others. Local.
#pragma once

#include "tune/context.hpp"

namespace measure::tool::tune {

/// Checks each algorithm at the smallest and the largest size. \throws std::runtime_error if the default itself fails
void check(Context& c);

}  // namespace measure::tool::tune
