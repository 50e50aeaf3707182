// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

#include <cstdlib>
#include <new>

namespace cachebench {

using measure::Bytes;

namespace {

Bytes round_up(Bytes n, Bytes multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

Placement place(Layout const& layout, Bytes size) {
    Placement p{.first = layout.offset};
    p.end_of_first = p.first + size;
    p.second = round_up(p.end_of_first + layout.pad, layout.align) + layout.offset;
    p.end_of_second = p.second + size;
    return p;
}

Bytes Arena::bytes(Layout const& layout, Bytes largest, bool two) {
    Placement const p = place(layout, largest);
    return round_up(two ? p.end_of_second : p.end_of_first, layout.align);
}

void Arena::Free::operator()(std::byte* p) const noexcept { std::free(p); }

Arena::Arena(Layout const& layout, Bytes largest, bool two)
    : layout_{layout}, base_{static_cast<std::byte*>(
                           std::aligned_alloc(static_cast<std::size_t>(layout.align),
                                              static_cast<std::size_t>(bytes(layout, largest, two))))} {
    if (base_ == nullptr)
        throw std::bad_alloc();
}

}  // namespace cachebench
