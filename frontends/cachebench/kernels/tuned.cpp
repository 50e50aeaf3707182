// SPDX-License-Identifier: BSD-3-Clause
/// Loops unrolled by hand, with eight independent operations per iteration and no remainder.
#define CACHEBENCH_FLAVOUR tuned
#include "cachebench/kernels/element.hpp"

namespace cachebench::CACHEBENCH_FLAVOUR {

template <class T>
static std::uint64_t read(Passes const& p) {
    T const* const x = static_cast<T const*>(p.x);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    T a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; i += 8) {
            a = static_cast<T>(a + x[i]);
            b = static_cast<T>(b + x[i + 1]);
            c = static_cast<T>(c + x[i + 2]);
            d = static_cast<T>(d + x[i + 3]);
            e = static_cast<T>(e + x[i + 4]);
            f = static_cast<T>(f + x[i + 5]);
            g = static_cast<T>(g + x[i + 6]);
            h = static_cast<T>(h + x[i + 7]);
        }
        CACHEBENCH_FENCE(x);
    }
    return static_cast<std::uint64_t>(static_cast<T>(((a + b) + (c + d)) + ((e + f) + (g + h))));
}

template <class T>
static std::uint64_t write(Passes const& p) {
    using R = Register<T>;
    T* const x = static_cast<T*>(p.x);
    R value = static_cast<R>(p.value);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; i += 8) {
            x[i] = __builtin_bit_cast(T, value);
            x[i + 1] = __builtin_bit_cast(T, static_cast<R>(value + 1));
            x[i + 2] = __builtin_bit_cast(T, static_cast<R>(value + 2));
            x[i + 3] = __builtin_bit_cast(T, static_cast<R>(value + 3));
            x[i + 4] = __builtin_bit_cast(T, static_cast<R>(value + 4));
            x[i + 5] = __builtin_bit_cast(T, static_cast<R>(value + 5));
            x[i + 6] = __builtin_bit_cast(T, static_cast<R>(value + 6));
            x[i + 7] = __builtin_bit_cast(T, static_cast<R>(value + 7));
            value = static_cast<R>(value + 8);
        }
        CACHEBENCH_FENCE(x);
    }
    return 0;
}

template <class T>
static std::uint64_t modify(Passes const& p) {
    T* const x = static_cast<T*>(p.x);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; i += 8) {
            x[i] = static_cast<T>(x[i] + 1);
            x[i + 1] = static_cast<T>(x[i + 1] + 1);
            x[i + 2] = static_cast<T>(x[i + 2] + 1);
            x[i + 3] = static_cast<T>(x[i + 3] + 1);
            x[i + 4] = static_cast<T>(x[i + 4] + 1);
            x[i + 5] = static_cast<T>(x[i + 5] + 1);
            x[i + 6] = static_cast<T>(x[i + 6] + 1);
            x[i + 7] = static_cast<T>(x[i + 7] + 1);
        }
        CACHEBENCH_FENCE(x);
    }
    return 0;
}

template <class T>
struct Of {
    static constexpr Loops loops{read<T>, write<T>, modify<T>, nullptr, nullptr, nullptr};
};

constinit LoopTable const table = table_of<Of, true>();

}  // namespace cachebench::CACHEBENCH_FLAVOUR
