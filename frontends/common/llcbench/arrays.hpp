// SPDX-License-Identifier: BSD-3-Clause
/// Arrays: the placement of measured arrays in memory. Local.
#pragma once

#include "program/cli/option_table.hpp"

#include <measure/units.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace llcbench {

/// Sizes in bytes.
struct Layout {
    measure::Bytes align = 64;  ///< each array starts at a multiple of this power of two, plus `offset`
    measure::Bytes offset = 0;  ///< added to each start
    measure::Bytes pad = 0;     ///< minimum number of unused bytes between two arrays
};

/// --align, --offset and --pad. \param arrays  name of the arrays in the help: "vectors"
[[nodiscard]] program::OptionTable<Layout> layout_options(std::string const& arrays);

/// \throws measure::UsageError if the offset is not a multiple of the element size
void check(Layout const& layout, measure::Bytes element);

/// Placement of consecutive arrays in an aligned block of memory.
struct Placement {
    std::vector<measure::Bytes> starts{};  ///< offsets from the start of the block
    measure::Bytes end = 0;                ///< end of the last array, rounded up to the alignment
};
[[nodiscard]] Placement place(Layout const& layout, std::span<measure::Bytes const> sizes);

/// A block of memory, not initialised. Move-only.
class AlignedMemory {
public:
    /// \param align  power of two  \param size  multiple of `align`  \throws std::bad_alloc
    AlignedMemory(measure::Bytes align, measure::Bytes size);
    [[nodiscard]] std::byte* at(measure::Bytes offset) const noexcept { return start_.get() + offset; }

private:
    struct Free {
        void operator()(std::byte* p) const noexcept;
    };
    std::unique_ptr<std::byte, Free> start_;
};

}  // namespace llcbench
