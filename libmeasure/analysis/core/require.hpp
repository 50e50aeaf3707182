// SPDX-License-Identifier: BSD-3-Clause
/// require: argument checks of pure functions.
#pragma once

#include "measure/error.hpp"

namespace measure {

/// \throws UsageError with the message if the condition does not hold
inline void require(bool condition, char const* message) {
    if (!condition)
        throw UsageError(message);
}

}  // namespace measure
