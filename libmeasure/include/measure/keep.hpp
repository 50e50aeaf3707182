// SPDX-License-Identifier: BSD-3-Clause
/// keep: results that nobody uses, and inputs that never change, as a compiler must take them in a timed loop.
#pragma once

#include <type_traits>

#pragma GCC visibility push(default)
namespace measure {

/// The compiler must compute `x`, and must take memory for read and written here: a computation whose result only goes
/// to `keep` is neither dropped nor moved out of a loop. It costs no instruction for what is in memory or in a register
/// for integers, one move for a floating-point number. Local. `[&] { measure::keep(dot(a, b)); }` is a body.
///
/// A variable that is not const may be another one afterwards, as far as the compiler knows: `keep(n)` before a
/// computation keeps it from being done once for all with the value that `n` has.
template <class T>
[[gnu::always_inline]] inline void keep(T const& x) noexcept {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*))
        asm volatile("" : : "r,m"(x) : "memory");
    else
        asm volatile("" : : "m"(x) : "memory");
}

/// The same for a variable that is not const.
template <class T>
requires(!std::is_const_v<T>) [[gnu::always_inline]] inline void keep(T& x) noexcept {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(void*))
        asm volatile("" : "+m,r"(x) : : "memory");
    else
        asm volatile("" : "+m"(x) : : "memory");
}

}  // namespace measure
#pragma GCC visibility pop
