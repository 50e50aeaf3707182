// SPDX-License-Identifier: BSD-3-Clause
/// keep: protects unused results and constant inputs of a timed loop from the optimiser.
#pragma once

#include <type_traits>

#pragma GCC visibility push(default)
namespace measure {

/// Makes the compiler compute `x`, and assume that all memory is read and written here. So a computation whose result
/// is only passed to `keep` is neither removed nor moved out of a loop. This costs no instruction for a value in memory
/// or in an integer register, and one move for a floating-point value. Local. Example of a body:
/// `[&] { measure::keep(dot(a, b)); }`.
///
/// The compiler must also assume that `keep` changes a non-const variable. So `keep(n)` before a computation prevents
/// the compiler from evaluating the computation only once for the current value of `n`.
template <class T>
[[gnu::always_inline]] inline void keep(T const& x) noexcept {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*))
        asm volatile("" : : "r,m"(x) : "memory");
    else
        asm volatile("" : : "m"(x) : "memory");
}

/// Overload for a non-const variable, which may have another value afterwards.
template <class T>
requires(!std::is_const_v<T>) [[gnu::always_inline]] inline void keep(T& x) noexcept {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*))
        asm volatile("" : "+m,r"(x) : : "memory");
    else
        asm volatile("" : "+m"(x) : : "memory");
}

}  // namespace measure
#pragma GCC visibility pop
