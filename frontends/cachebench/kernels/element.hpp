// SPDX-License-Identifier: BSD-3-Clause
/// Element types and the fence between two passes. Only for the kernel files.
#pragma once

#include "cachebench/kernels/kernels.hpp"

#include <cstdint>

namespace cachebench::CACHEBENCH_FLAVOUR {

/// Keeps the compiler from carrying knowledge about the vector into the next pass. Without it, the compiler removes
/// passes that repeat the previous one.
#define CACHEBENCH_FENCE(pointer) asm volatile("" : : "r"(pointer) : "memory")

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
constexpr bool reassociates = true;
#else
constexpr bool reassociates = false;
#endif

/// The register that write stores: an integer of the element's size, whose bits are stored. A counter of the element's
/// type would be a chain of floating-point additions, and a conversion would be extra work.
template <unsigned size>
struct RegisterOf;
template <>
struct RegisterOf<1> {
    using Type = unsigned char;
};
template <>
struct RegisterOf<4> {
    using Type = std::uint32_t;
};
template <>
struct RegisterOf<8> {
    using Type = std::uint64_t;
};
template <class T>
using Register = typename RegisterOf<sizeof(T)>::Type;

/// Builds a file's table from its class template, whose `loops` holds the loops of a type. consteval, because code with
/// the file's instruction set must not run before main checks the CPU. The integers are unsigned, so that overflow is
/// defined.
/// \tparam increments  see LoopTable
template <template <class> class Of, bool increments>
consteval LoopTable table_of() {
    return {CACHEBENCH_FLAGS,
            reassociates,
            increments,
            {Of<double>::loops, Of<float>::loops, Of<std::uint32_t>::loops, Of<unsigned char>::loops,
             Of<std::uint64_t>::loops}};
}

}  // namespace cachebench::CACHEBENCH_FLAVOUR
