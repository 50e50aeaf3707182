// SPDX-License-Identifier: BSD-3-Clause
#include "llcbench/flush.hpp"

#include <measure/keep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace llcbench {

using measure::Bytes;
using measure::mebi;

Bytes flush_size(Bytes last_level_cache) noexcept { return std::clamp(2 * last_level_cache, 16 * mebi, 512 * mebi); }

Flush::Flush(Bytes size) : size_{size}, buffer_{new unsigned char[static_cast<std::size_t>(size)]} {}

void Flush::operator()() noexcept {
    std::memset(buffer_.get(), ++value_, static_cast<std::size_t>(size_));
    // The buffer is never read, so the compiler could drop the writes without this.
    measure::keep(buffer_.get());
}

}  // namespace llcbench
