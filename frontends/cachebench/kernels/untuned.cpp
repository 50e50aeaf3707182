// SPDX-License-Identifier: BSD-3-Clause
/// The plain loops. Compiled once per flavour, with CACHEBENCH_FLAVOUR and CACHEBENCH_FLAGS from the build.
#include "cachebench/kernels/element.hpp"
#include "cachebench/kernels/stream.hpp"

// The compiler turns a loop into a library call only if the loop has its own function, which costs a call per pass, and
// if it knows that the vectors do not overlap.
#ifdef CACHEBENCH_OWN_FUNCTIONS
#define CACHEBENCH_PASS static __attribute__((noinline))
#define CACHEBENCH_APART __restrict
#else
#define CACHEBENCH_PASS inline static __attribute__((always_inline))
#define CACHEBENCH_APART
#endif

namespace cachebench::CACHEBENCH_FLAVOUR {

template <class T>
CACHEBENCH_PASS T read_once(T const* x, std::int64_t n, T sum) {
    for (std::int64_t i = 0; i < n; ++i)
        sum = static_cast<T>(sum + x[i]);
    return sum;
}

template <class T>
CACHEBENCH_PASS Register<T> write_once(T* x, std::int64_t n, Register<T> value) {
    for (std::int64_t i = 0; i < n; ++i)
        x[i] = __builtin_bit_cast(T, value++);
    return value;
}

template <class T>
CACHEBENCH_PASS void modify_once(T* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        x[i] = static_cast<T>(x[i] + 1);
}

template <class T>
CACHEBENCH_PASS void copy_once(T* CACHEBENCH_APART y, T const* CACHEBENCH_APART x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        y[i] = x[i];
}

template <class T>
CACHEBENCH_PASS void triad_once(T* z, T const* x, T const* y, T s, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
        z[i] = static_cast<T>(x[i] + s * y[i]);
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
    auto value = static_cast<Register<T>>(p.value);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        value = write_once(x, n, value);
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
static std::uint64_t copy(Passes const& p) {
    T* const y = static_cast<T*>(p.x);
    T const* const x = static_cast<T const*>(p.source);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        copy_once(y, x, n);
        CACHEBENCH_FENCE(y);
    }
    return 0;
}

template <class T>
static std::uint64_t triad(Passes const& p) {
    T* const z = static_cast<T*>(p.x);
    T const* const x = static_cast<T const*>(p.source);
    T const* const y = static_cast<T const*>(p.second);
    T const s = static_cast<T>(p.value);
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        triad_once(z, x, y, s, n);
        CACHEBENCH_FENCE(z);
    }
    return 0;
}

#ifdef CACHEBENCH_STREAMS
/// The narrowest non-temporal store holds one or more elements. A remainder that does not fill one uses normal stores.
template <class T>
static std::uint64_t stream(Passes const& p) {
    T* const x = static_cast<T*>(p.x);
    T const value = static_cast<T>(p.value);
    constexpr std::int64_t of_a_word = static_cast<std::int64_t>(sizeof(std::uint64_t) / sizeof(T));
    std::uint64_t const word = word_of(value);
    std::int64_t const n = p.n;
    std::int64_t const whole = n / of_a_word * of_a_word;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < whole; i += of_a_word)
            stream_word(x + i, word);
        for (std::int64_t i = whole; i < n; ++i)
            x[i] = value;
        CACHEBENCH_FENCE(x);
    }
    drain();
    return 0;
}
#else
template <class T>
constexpr Kernel stream = nullptr;
#endif

template <class T>
struct Of {
    static constexpr Loops loops{read<T>, write<T>, modify<T>, copy<T>, triad<T>, stream<T>};
};

constinit LoopTable const table = table_of<Of, true>();

}  // namespace cachebench::CACHEBENCH_FLAVOUR
