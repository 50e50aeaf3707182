// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench/vectors.hpp"

#include <cstddef>
#include <vector>

namespace cachebench {

using measure::Bytes;

namespace {

llcbench::Placement placed(Layout const& layout, Bytes size, int vectors) {
    return llcbench::place(layout, std::vector<Bytes>(static_cast<std::size_t>(vectors), size));
}

}  // namespace

Bytes Arena::bytes(Layout const& layout, Bytes largest, int vectors) { return placed(layout, largest, vectors).end; }

Arena::Arena(Layout const& layout, Bytes largest, int vectors)
    : layout_{layout}, memory_{layout.align, bytes(layout, largest, vectors)} {}

void* Arena::start(int i, Bytes size) const { return memory_.at(placed(layout_, size, i + 1).starts.back()); }

}  // namespace cachebench
