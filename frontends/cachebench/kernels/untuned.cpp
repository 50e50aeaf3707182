// SPDX-License-Identifier: BSD-3-Clause
/// The textbook loops. Compiled once per flavour, with CACHEBENCH_FLAVOUR and CACHEBENCH_FLAGS from the build.
#include "kernels/element.hpp"

// A loop becomes a library call only where it has a function of its own; that costs a call per pass.
#ifdef CACHEBENCH_OWN_FUNCTIONS
#define CACHEBENCH_PASS static __attribute__((noinline))
#else
#define CACHEBENCH_PASS inline static __attribute__((always_inline))
#endif

namespace cachebench::CACHEBENCH_FLAVOUR {

template <class T>
CACHEBENCH_PASS T read_once(T const* x, std::int64_t n, T sum) {
    for (std::int64_t i = 0; i < n; ++i)
        sum = static_cast<T>(sum + x[i]);
    return sum;
}

template <class T>
CACHEBENCH_PASS void write_once(T* x, std::int64_t n, T value) {
    for (std::int64_t i = 0; i < n; ++i)
        x[i] = value;
}

template <class T>
CACHEBENCH_PASS void modify_once(T* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        x[i] = static_cast<T>(x[i] + 1);
}

template <class T>
static std::uint64_t read(Passes const& p) {
    T const* const x = static_cast<T const*>(p.x);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    T sum = 0;
    for (std::int64_t k = 0; k < passes; ++k) {
        sum = read_once(x, n, sum);
        CACHEBENCH_FENCE(x);
    }
    return static_cast<std::uint64_t>(sum);
}

template <class T>
static std::uint64_t write(Passes const& p) {
    T* const x = static_cast<T*>(p.x);
    T const value = static_cast<T>(p.value);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        write_once(x, n, value);
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
        modify_once(x, n);
        CACHEBENCH_FENCE(x);
    }
    return 0;
}

template <class T>
constexpr Loops loops() {
    return {read<T>, write<T>, modify<T>};
}

LoopTable const table{CACHEBENCH_FLAGS, reassociates, all_loops()};

}  // namespace cachebench::CACHEBENCH_FLAVOUR
