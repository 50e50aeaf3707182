// SPDX-License-Identifier: BSD-3-Clause
/// Vectors: where the vectors lie in memory.
#pragma once

#include <measure/units.hpp>

#include <cstddef>
#include <memory>

namespace cachebench {

/// Sizes in bytes.
struct Layout {
    measure::Bytes align = 64;  ///< starts are multiples of this (a power of two) ..
    measure::Bytes offset = 0;  ///< .. plus this
    measure::Bytes pad = 0;     ///< unused bytes between two vectors, at least
};

/// Starts of two vectors of the same size, from the start of an aligned piece of memory.
struct Placement {
    measure::Bytes first = 0;
    measure::Bytes second = 0;
    measure::Bytes end_of_first = 0;
    measure::Bytes end_of_second = 0;
};
[[nodiscard]] Placement place(Layout const& layout, measure::Bytes size);

/// Memory for vectors up to a size. Move-only.
class Arena {
public:
    /// \param two  a second vector of the same size  \throws std::bad_alloc
    Arena(Layout const& layout, measure::Bytes largest, bool two);
    /// Bytes that an arena takes.
    [[nodiscard]] static measure::Bytes bytes(Layout const& layout, measure::Bytes largest, bool two);

    /// The start of a vector of this size.
    [[nodiscard]] void* first(measure::Bytes size) const { return base_.get() + place(layout_, size).first; }
    /// The start of the one behind it; only where there are two.
    [[nodiscard]] void* second(measure::Bytes size) const { return base_.get() + place(layout_, size).second; }

private:
    struct Free {
        void operator()(std::byte* p) const noexcept;
    };
    Layout layout_;
    std::unique_ptr<std::byte, Free> base_;
};

}  // namespace cachebench
