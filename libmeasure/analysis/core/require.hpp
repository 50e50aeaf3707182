// SPDX-License-Identifier: BSD-3-Clause
/// require: what pure functions say of arguments out of range.
#pragma once

#include "measure/error.hpp"

namespace measure {

/// \throws UsageError with the message where the condition does not hold
inline void require(bool condition, char const* message) {
    if (!condition)
        throw UsageError(message);
}

}  // namespace measure
