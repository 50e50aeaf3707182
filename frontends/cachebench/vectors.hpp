// SPDX-License-Identifier: BSD-3-Clause
/// Vectors: where the vectors lie in memory.
#pragma once

#include "llcbench/arrays.hpp"

#include <measure/units.hpp>

namespace cachebench {

using llcbench::Layout;

/// Memory for vectors up to a size. Move-only.
class Arena {
public:
    /// \param two  a second vector of the same size  \throws std::bad_alloc
    Arena(Layout const& layout, measure::Bytes largest, bool two);
    /// Bytes that an arena takes.
    [[nodiscard]] static measure::Bytes bytes(Layout const& layout, measure::Bytes largest, bool two);

    /// The start of a vector of this size.
    [[nodiscard]] void* first(measure::Bytes size) const;
    /// The start of the one behind it; only where there are two.
    [[nodiscard]] void* second(measure::Bytes size) const;

private:
    Layout layout_;
    llcbench::AlignedMemory memory_;
};

}  // namespace cachebench
