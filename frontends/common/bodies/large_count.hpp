// SPDX-License-Identifier: BSD-3-Clause
/// Large counts: selects the functions or the element size for a count that exceeds MPI's int. Pure.
#pragma once

#include "bodies/arguments.hpp"
#include "bodies/datatype.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

namespace bodies {

/// Limits of an MPI library.
struct CountLimits {
    std::int64_t largest = std::numeric_limits<int>::max();  ///< largest count or displacement of its int functions
    bool has_wide_calls = bodies::has_wide_calls;
};

/// The way to pass a count to MPI. The int functions are used if possible.
struct Carrier {
    bool wide = false;       ///< use the functions with large counts
    std::int64_t chunk = 1;  ///< otherwise, number of elements joined by a contiguous type; a power of two
};

/// The way for a call of this shape to pass `count` with this number of processes.
/// \param count  bytes of payload of the layout, or number of reduced numbers
/// \param name   name of the call, for the message
/// \throws UsageError if neither way is possible, or if no memory could hold the buffers
[[nodiscard]] Carrier carrier(Shape const& shape, std::string_view name, TypeLayout const& layout, std::int64_t count,
                              int processes, CountLimits const& limits = {});

}  // namespace bodies
