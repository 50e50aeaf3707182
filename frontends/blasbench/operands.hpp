// SPDX-License-Identifier: BSD-3-Clause
/// Operands: where matrices and vectors lie in memory, and what is in them.
#pragma once

#include "blasbench/catalogue.hpp"
#include "llcbench/arrays.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace blasbench {

using llcbench::Layout;

/// Memory for the operands of a routine, each with room for the largest problem; a smaller one uses the first part of
/// each. Move-only.
class Arena {
public:
    /// \param elements  of each operand  \throws std::bad_alloc
    Arena(Layout const& layout, Precision precision, std::span<double const> elements);
    /// Bytes that an arena takes. A number of doubles, because what is asked for may outgrow 64 bits.
    [[nodiscard]] static double bytes(Layout const& layout, Precision precision,
                                      std::span<double const> elements) noexcept;

    /// \param index  of an operand
    [[nodiscard]] void* operand(int index) const noexcept {
        return memory_.at(placement_.starts[static_cast<std::size_t>(index)]);
    }

private:
    llcbench::Placement placement_;
    llcbench::AlignedMemory memory_;
};

/// Rows and columns of an operand, in Fortran's order.
struct Shape {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading = 0;  ///< elements from one column to the next, >= rows
};

/// Deterministic values in [-1, 1) that look random. \param seed  which ones
template <class T>
void fill(T* to, Shape const& shape, std::uint64_t seed);

/// A lower triangle with 1 on its diagonal and 1e-8 times such values below it, so that solving again and again hardly
/// changes a right-hand side. What is above, nobody may look at.
template <class T>
void fill_triangle(T* to, Shape const& shape, std::uint64_t seed);

}  // namespace blasbench
