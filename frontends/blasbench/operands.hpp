// SPDX-License-Identifier: BSD-3-Clause
/// Operands: placement and contents of matrices and vectors in memory.
#pragma once

#include "blasbench/catalogue.hpp"
#include "llcbench/arrays.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace blasbench {

using llcbench::Layout;

/// Memory for the operands of a routine, sized for the largest problem. Smaller problems use the first part of each
/// operand. Move-only.
class Arena {
public:
    /// \param elements  number of elements of each operand  \throws std::bad_alloc
    Arena(Layout const& layout, Precision precision, std::span<double const> elements);
    /// Bytes that an arena needs. Returns a double because requested sizes may exceed 64 bits.
    [[nodiscard]] static double bytes(Layout const& layout, Precision precision,
                                      std::span<double const> elements) noexcept;

    /// Start of an operand. \param index  position of the operand in the routine's list, from 0
    [[nodiscard]] void* operand(int index) const noexcept {
        return memory_.at(placement_.starts[static_cast<std::size_t>(index)]);
    }

private:
    llcbench::Placement placement_;
    llcbench::AlignedMemory memory_;
};

/// Rows and columns of an operand in column-major order.
struct Shape {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t leading = 0;  ///< elements from one column to the next, >= rows
};

/// Fills an operand with deterministic pseudo-random values in [-1, 1). \param seed  selects the sequence
template <class T>
void fill(T* to, Shape const& shape, std::uint64_t seed);

/// Fills a lower triangle with 1 on the diagonal and 1e-8 times such values below it, so that repeated solving hardly
/// changes the right-hand side. Correct routines never read the values above the diagonal.
template <class T>
void fill_triangle(T* to, Shape const& shape, std::uint64_t seed);

}  // namespace blasbench
