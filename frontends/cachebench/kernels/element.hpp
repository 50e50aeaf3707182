// SPDX-License-Identifier: BSD-3-Clause
/// What the kernel files share: element types, and the fence between two passes. For these files only.
#pragma once

#include "cachebench/kernels/kernels.hpp"

#include <cstdint>

namespace cachebench::CACHEBENCH_FLAVOUR {

/// The compiler may not carry knowledge of the vector across this: without it, it drops passes that repeat each other.
#define CACHEBENCH_FENCE(pointer) asm volatile("" : : "r"(pointer) : "memory")

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
constexpr bool reassociates = true;
#else
constexpr bool reassociates = false;
#endif

/// A file's table, from its class template that has the loops of a type in `loops`. Not a function of the program: it
/// would have to run before the main, on whatever CPU that is. The integers are unsigned: they go round where signed
/// ones would not be defined.
template <template <class> class Of>
consteval LoopTable table_of() {
    return {CACHEBENCH_FLAGS,
            reassociates,
            {Of<double>::loops, Of<float>::loops, Of<std::uint32_t>::loops, Of<unsigned char>::loops,
             Of<std::uint64_t>::loops}};
}

}  // namespace cachebench::CACHEBENCH_FLAVOUR
