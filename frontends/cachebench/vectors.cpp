// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace cachebench {

using measure::Bytes;

namespace {

/// One vector, or two of the same size.
llcbench::Placement placed(Layout const& layout, Bytes size, bool two) {
    std::array const sizes{size, size};
    return llcbench::place(layout, std::span{sizes}.first(two ? 2 : 1));
}

}  // namespace

Bytes Arena::bytes(Layout const& layout, Bytes largest, bool two) { return placed(layout, largest, two).end; }

Arena::Arena(Layout const& layout, Bytes largest, bool two)
    : layout_{layout}, memory_{layout.align, bytes(layout, largest, two)} {}

void* Arena::first(Bytes size) const { return memory_.at(placed(layout_, size, false).starts[0]); }

void* Arena::second(Bytes size) const { return memory_.at(placed(layout_, size, true).starts[1]); }

}  // namespace cachebench
