// SPDX-License-Identifier: BSD-3-Clause
/// Arrays: where the arrays that are measured lie in memory. Local.
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
    measure::Bytes align = 64;  ///< starts are multiples of this (a power of two) ..
    measure::Bytes offset = 0;  ///< .. plus this
    measure::Bytes pad = 0;     ///< unused bytes between two arrays, at least
};

/// --align, --offset and --pad. \param arrays  what they are called in the help: "vectors"
[[nodiscard]] program::OptionTable<Layout> layout_options(std::string const& arrays);

/// \throws measure::UsageError where the offset is not a multiple of the element's size
void check(Layout const& layout, measure::Bytes element);

/// Starts of arrays behind each other, from the start of an aligned piece of memory.
struct Placement {
    std::vector<measure::Bytes> starts{};
    measure::Bytes end = 0;  ///< of the last one, rounded up to the alignment
};
[[nodiscard]] Placement place(Layout const& layout, std::span<measure::Bytes const> sizes);

/// A piece of memory, not initialised. Move-only.
class AlignedMemory {
public:
    /// \param align  a power of two; size is a multiple of it  \throws std::bad_alloc
    AlignedMemory(measure::Bytes align, measure::Bytes size);
    [[nodiscard]] std::byte* at(measure::Bytes offset) const noexcept { return start_.get() + offset; }

private:
    struct Free {
        void operator()(std::byte* p) const noexcept;
    };
    std::unique_ptr<std::byte, Free> start_;
};

}  // namespace llcbench
