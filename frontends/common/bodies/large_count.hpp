// SPDX-License-Identifier: BSD-3-Clause
/// Large counts: by which functions, or in how large elements, a count beyond MPI's int is handed over. Pure.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/datatype.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

namespace bodies {

/// What an MPI library takes.
struct CountLimits {
    std::int64_t largest = std::numeric_limits<int>::max();  ///< count or displacement of its classical functions
    bool has_wide_calls = bodies::has_wide_calls;
};

/// How a count is handed over: by the classical functions where that is possible.
struct Carrier {
    bool wide = false;       ///< by the functions with large counts
    std::int64_t chunk = 1;  ///< otherwise: so many elements, a power of two, are one element of a contiguous type
};

/// How a call of that shape carries `count` to so many processes.
/// \param count  bytes of payload of the layout, or numbers to be reduced  \param name  of the call, for the message
/// \throws UsageError where neither way is possible, or where no memory could hold the buffers
[[nodiscard]] Carrier carrier(Shape const& shape, std::string_view name, TypeLayout const& layout, std::int64_t count,
                              int processes, CountLimits const& limits = {});

}  // namespace bodies
