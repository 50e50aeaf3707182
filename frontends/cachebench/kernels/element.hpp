// SPDX-License-Identifier: BSD-3-Clause
/// What the kernel files share: element types, and the fence between two passes. For these files only.
#pragma once

#include "kernels/kernels.hpp"

#include <cstdint>

namespace cachebench::CACHEBENCH_FLAVOUR {

/// The compiler may not carry knowledge of the vector across this: without it, it drops passes that repeat each other.
#define CACHEBENCH_FENCE(pointer) asm volatile("" : : "r"(pointer) : "memory")

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
constexpr bool reassociates = true;
#else
constexpr bool reassociates = false;
#endif

/// The integers are unsigned: they go round where signed ones would not be defined.
template <class T>
constexpr Loops loops();

constexpr std::array<Loops, element_count> all_loops() {
    return {loops<double>(), loops<float>(), loops<std::uint32_t>(), loops<unsigned char>(), loops<std::uint64_t>()};
}

}  // namespace cachebench::CACHEBENCH_FLAVOUR
