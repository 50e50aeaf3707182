// SPDX-License-Identifier: BSD-3-Clause
/// Vectors: placement of the vectors in memory.
#pragma once

#include "llcbench/arrays.hpp"

#include <measure/units.hpp>

namespace cachebench {

using llcbench::Layout;

/// Memory for vectors of up to a given size. Move-only.
class Arena {
public:
    /// \param largest  largest vector, in bytes  \param vectors  number of vectors, 1 to 3  \throws std::bad_alloc
    Arena(Layout const& layout, measure::Bytes largest, int vectors);
    /// Bytes that an arena needs.
    [[nodiscard]] static measure::Bytes bytes(Layout const& layout, measure::Bytes largest, int vectors);

    /// The start of vector i if all vectors have this size and follow each other. \param i  from 0
    [[nodiscard]] void* start(int i, measure::Bytes size) const;

private:
    Layout layout_;
    llcbench::AlignedMemory memory_;
};

}  // namespace cachebench
