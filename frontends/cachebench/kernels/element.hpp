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

/// The register that is written: an integer of the element's size, whose bits are stored. A sum of the element's type
/// would be a chain of floating-point additions, and a conversion would be work beside the store.
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

/// A file's table, from its class template that has the loops of a type in `loops`. Not a function of the program: it
/// would have to run before the main, on whatever CPU that is. The integers are unsigned: they go round where signed
/// ones would not be defined.
/// \tparam increments  as the table has it
template <template <class> class Of, bool increments>
consteval LoopTable table_of() {
    return {CACHEBENCH_FLAGS,
            reassociates,
            increments,
            {Of<double>::loops, Of<float>::loops, Of<std::uint32_t>::loops, Of<unsigned char>::loops,
             Of<std::uint64_t>::loops}};
}

}  // namespace cachebench::CACHEBENCH_FLAVOUR
