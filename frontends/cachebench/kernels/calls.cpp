// SPDX-License-Identifier: BSD-3-Clause
/// Calls of the C library and the pointer chase. Compiled once for all flavours.
#include "cachebench/kernels/kernels.hpp"

#include <bit>
#include <cstring>

namespace cachebench {

namespace {

// The compiler must read these volatile pointers for each call, so it can neither inline nor remove the call.
using Set = void* (*)(void*, int, std::size_t);
using Copy = void* (*)(void*, void const*, std::size_t);
Set const volatile set = std::memset;
Copy const volatile copy = std::memcpy;

}  // namespace

std::uint64_t set_memory(Passes const& p) {
    auto const bytes = static_cast<std::size_t>(p.n);
    for (std::int64_t k = 0; k < p.passes; ++k)
        set(p.x, static_cast<int>(p.value), bytes);
    return 0;
}

std::uint64_t copy_memory(Passes const& p) {
    auto const bytes = static_cast<std::size_t>(p.n);
    for (std::int64_t k = 0; k < p.passes; ++k)
        copy(p.x, p.source, bytes);
    return 0;
}

std::uint64_t chase(Passes const& p) {
    void const* node = p.x;
    std::int64_t const n = p.n;
    for (std::int64_t k = 0; k < p.passes; ++k)
        for (std::int64_t i = 0; i < n; ++i)
            node = *static_cast<void const* const*>(node);
    return std::bit_cast<std::uintptr_t>(node);
}

}  // namespace cachebench
