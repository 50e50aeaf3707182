// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/arrays.hpp"

#include "program/cli/values.hpp"

#include <measure/error.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace llcbench {

namespace as = program::as;
using measure::Bytes;
using measure::UsageError;
using program::Argument;

namespace {

constexpr Bytes largest_shift = measure::gibi;

Bytes round_up(Bytes n, Bytes multiple) { return (n + multiple - 1) / multiple * multiple; }

Bytes alignment(Argument const& argument) {
    Bytes const size = as::Size{.low = 8, .high = largest_shift}(argument);
    if (!std::has_single_bit(static_cast<std::uint64_t>(size)))
        throw UsageError(fmt::format("{}: '{}' is not a power of two", argument.option, argument.value));
    return size;
}

}  // namespace

program::OptionTable<Layout> layout_options(std::string const& arrays) {
    program::OptionTable<Layout> table;
    table.option("--align", "SIZE", fmt::format("start {} at multiples of this power of two", arrays), &Layout::align,
                 alignment);
    table.option("--offset", "SIZE", "shift each start by this many bytes", &Layout::offset,
                 as::Size{.high = largest_shift});
    table.option("--pad", "SIZE", fmt::format("leave at least this many unused bytes between two {}", arrays),
                 &Layout::pad, as::Size{.high = largest_shift});
    return table;
}

void check(Layout const& layout, Bytes element) {
    if (layout.offset % element != 0)
        throw UsageError(
            fmt::format("--offset: '{}' is not a multiple of the element size ({} bytes)", layout.offset, element));
}

Placement place(Layout const& layout, std::span<Bytes const> sizes) {
    Placement p;
    for (Bytes const size : sizes) {
        Bytes const free = p.starts.empty() ? 0 : p.end + layout.pad;
        p.starts.push_back(round_up(free, layout.align) + layout.offset);
        p.end = p.starts.back() + size;
    }
    p.end = round_up(p.end, layout.align);
    return p;
}

void AlignedMemory::Free::operator()(std::byte* p) const noexcept { std::free(p); }

AlignedMemory::AlignedMemory(Bytes align, Bytes size)
    : start_{static_cast<std::byte*>(
          std::aligned_alloc(static_cast<std::size_t>(align), static_cast<std::size_t>(size)))} {
    if (start_ == nullptr)
        throw std::bad_alloc();
}

}  // namespace llcbench
