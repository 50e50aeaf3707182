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
    /// \param vectors  so many of the same size, 1 to 3  \throws std::bad_alloc
    Arena(Layout const& layout, measure::Bytes largest, int vectors);
    /// Bytes that an arena takes.
    [[nodiscard]] static measure::Bytes bytes(Layout const& layout, measure::Bytes largest, int vectors);

    /// The start of vector i, of those of this size behind each other. \param i  from 0, of those that there are
    [[nodiscard]] void* start(int i, measure::Bytes size) const;

private:
    Layout layout_;
    llcbench::AlignedMemory memory_;
};

}  // namespace cachebench
