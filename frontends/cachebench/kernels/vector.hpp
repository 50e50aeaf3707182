// SPDX-License-Identifier: BSD-3-Clause
/// The loops with explicit vectors. One file for each instruction set defines CACHEBENCH_FLAVOUR and the vector width
/// CACHEBENCH_VECTOR in bytes (0: scalar loops) and includes this header.
///
/// Each iteration processes eight independent vectors, so that neither the latency of an addition nor the loop overhead
/// limits the rate of the caches. The remainder is processed by four, two and one vector, then by vectors of half the
/// width, down to a single element. All elements are processed.
#pragma once

#include "cachebench/kernels/element.hpp"
#include "cachebench/kernels/stream.hpp"

#include <cstdint>

namespace cachebench::CACHEBENCH_FLAVOUR {

#define CACHEBENCH_INLINE inline static __attribute__((always_inline))

/// A vector of `count` elements.
template <class T, int count>
struct Vector {
    using Type __attribute__((vector_size(count * sizeof(T)))) = T;
};
template <class T>
struct Vector<T, 1> {
    using Type = T;
};

/// Number of elements of the widest vector.
template <class T>
constexpr int widest = CACHEBENCH_VECTOR == 0 ? 1 : static_cast<int>(CACHEBENCH_VECTOR / sizeof(T));

// load and store accept any address.
template <class V, class T>
CACHEBENCH_INLINE V load(T const* x) {
    V v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}

template <class V, class T>
CACHEBENCH_INLINE void store(T* x, V v) {
    __builtin_memcpy(x, &v, sizeof v);
}

template <class V, class T>
CACHEBENCH_INLINE V all_equal(T value) {
    return static_cast<V>(V{} + value);
}

/// One pass over the elements from i to n. A step's `at<count, slot>(i)` processes `count` elements starting at i.
/// Calls with different slots are independent.
/// \{
template <int count, class Step>
CACHEBENCH_INLINE void narrow(std::int64_t i, std::int64_t n, Step& step) {
    if (n - i >= count) {
        step.template at<count, 7>(i);
        i += count;
    }
    if constexpr (count > 1)
        narrow<count / 2>(i, n, step);
}

template <int count, class Step>
CACHEBENCH_INLINE void pass(std::int64_t i, std::int64_t n, Step& step) {
    for (; n - i >= 8 * count; i += 8 * count) {
        step.template at<count, 0>(i);
        step.template at<count, 1>(i + count);
        step.template at<count, 2>(i + 2 * count);
        step.template at<count, 3>(i + 3 * count);
        step.template at<count, 4>(i + 4 * count);
        step.template at<count, 5>(i + 5 * count);
        step.template at<count, 6>(i + 6 * count);
        step.template at<count, 7>(i + 7 * count);
    }
    if (i == n)
        return;
    if (n - i >= 4 * count) {
        step.template at<count, 0>(i);
        step.template at<count, 1>(i + count);
        step.template at<count, 2>(i + 2 * count);
        step.template at<count, 3>(i + 3 * count);
        i += 4 * count;
    }
    if (n - i >= 2 * count) {
        step.template at<count, 4>(i);
        step.template at<count, 5>(i + count);
        i += 2 * count;
    }
    narrow<count>(i, n, step);
}
/// \}

/// All passes of a block.
template <int count, class Step>
CACHEBENCH_INLINE void all_passes(Passes const& p, Step& step) {
    void* const x = p.x;
    std::int64_t const n = p.n;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        pass<count>(0, n, step);
        CACHEBENCH_FENCE(x);
    }
}

/// One sum for each width below the widest.
template <class T, int count>
struct Narrow : Narrow<T, count / 2> {
    typename Vector<T, count>::Type sum{};
};
template <class T>
struct Narrow<T, 0> {};

template <class T, class V>
CACHEBENCH_INLINE T total(V v) {
    T parts[sizeof v / sizeof(T)];
    __builtin_memcpy(parts, &v, sizeof v);
    T sum = 0;
    for (T const part : parts)
        sum = static_cast<T>(sum + part);
    return sum;
}

template <class T, int count>
CACHEBENCH_INLINE T total_below(Narrow<T, count> const& narrower) {
    if constexpr (count == 0)
        return 0;
    else
        return static_cast<T>(total<T>(narrower.sum) + total_below<T, count / 2>(narrower));
}

/// \tparam aligned  x is aligned to the widest vector; SSE2 then adds from memory without a separate load
template <class T, bool aligned>
struct Read {
    using V = typename Vector<T, widest<T>>::Type;
    T const* x;
    V sums[8] = {};  // NOLINT(modernize-avoid-c-arrays): library functions must not be compiled in this file
    Narrow<T, widest<T> / 2> narrower{};

    template <int count, int slot>
    __attribute__((always_inline)) void at(std::int64_t i) {
        if constexpr (count == widest<T>) {
            void const* const place = aligned ? __builtin_assume_aligned(x + i, sizeof(V)) : x + i;
            sums[slot] = static_cast<V>(sums[slot] + load<V>(static_cast<T const*>(place)));
        } else {
            using N = typename Vector<T, count>::Type;
            N& sum = static_cast<Narrow<T, count>&>(narrower).sum;
            sum = static_cast<N>(sum + load<N>(x + i));
        }
    }
};

template <class T, bool aligned>
CACHEBENCH_INLINE std::uint64_t read_at(Passes const& p) {
    Read<T, aligned> step{.x = static_cast<T const*>(p.x)};
    all_passes<widest<T>>(p, step);
    auto const& s = step.sums;
    using V = typename Read<T, aligned>::V;
    auto const sum = static_cast<V>(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
    return static_cast<std::uint64_t>(static_cast<T>(total<T>(sum) + total_below<T, widest<T> / 2>(step.narrower)));
}

template <class T>
static std::uint64_t read(Passes const& p) {
    constexpr std::uintptr_t multiple = widest<T> * sizeof(T);
    bool const aligned = reinterpret_cast<std::uintptr_t>(p.x) % multiple == 0;
    return aligned ? read_at<T, true>(p) : read_at<T, false>(p);
}

template <class T>
struct Write {
    T* x;
    T value;

    template <int count, int>
    __attribute__((always_inline)) void at(std::int64_t i) const {
        store(x + i, all_equal<typename Vector<T, count>::Type>(value));
    }
};

template <class T>
static std::uint64_t write(Passes const& p) {
    Write<T> const step{static_cast<T*>(p.x), static_cast<T>(p.value)};
    all_passes<widest<T>>(p, step);
    return 0;
}

template <class T>
struct Modify {
    T* x;

    template <int count, int>
    __attribute__((always_inline)) void at(std::int64_t i) const {
        using V = typename Vector<T, count>::Type;
        store(x + i, static_cast<V>(load<V>(x + i) + all_equal<V>(T{1})));
    }
};

template <class T>
static std::uint64_t modify(Passes const& p) {
    Modify<T> const step{static_cast<T*>(p.x)};
    all_passes<widest<T>>(p, step);
    return 0;
}

template <class T>
struct Copy {
    T* y;
    T const* x;

    template <int count, int>
    __attribute__((always_inline)) void at(std::int64_t i) const {
        store(y + i, load<typename Vector<T, count>::Type>(x + i));
    }
};

template <class T>
static std::uint64_t copy(Passes const& p) {
    Copy<T> const step{static_cast<T*>(p.x), static_cast<T const*>(p.source)};
    all_passes<widest<T>>(p, step);
    return 0;
}

template <class T>
struct Triad {
    T* z;
    T const* x;
    T const* y;
    T s;

    template <int count, int>
    __attribute__((always_inline)) void at(std::int64_t i) const {
        using V = typename Vector<T, count>::Type;
        store(z + i, static_cast<V>(load<V>(x + i) + all_equal<V>(s) * load<V>(y + i)));
    }
};

template <class T>
static std::uint64_t triad(Passes const& p) {
    Triad<T> const step{static_cast<T*>(p.x), static_cast<T const*>(p.source), static_cast<T const*>(p.second),
                        static_cast<T>(p.value)};
    all_passes<widest<T>>(p, step);
    return 0;
}

#ifdef CACHEBENCH_STREAMS
/// Number of elements of a non-temporal store: a vector, or a word for scalar loops.
template <class T>
constexpr int streamed = CACHEBENCH_VECTOR == 0 ? static_cast<int>(sizeof(std::uint64_t) / sizeof(T)) : widest<T>;

#if CACHEBENCH_VECTOR > 0
/// \param at  aligned to the size of the vector
template <class T, class V>
CACHEBENCH_INLINE void stream_vector(T* at, V v) {
    auto& place = *reinterpret_cast<char(*)[sizeof v]>(at);
#if defined(__aarch64__)
    std::uint64_t halves[2];
    __builtin_memcpy(halves, &v, sizeof v);
    asm volatile("stnp %1, %2, %0" : "=Q"(place) : "r"(halves[0]), "r"(halves[1]));
#elif defined(__AVX512F__)
    asm volatile("vmovntps %1, %0" : "=m"(place) : "v"(v));
#elif defined(__AVX__)
    asm volatile("vmovntps %1, %0" : "=m"(place) : "x"(v));
#else
    asm volatile("movntps %1, %0" : "=m"(place) : "x"(v));
#endif
}
#endif

template <class T>
struct Stream {
    T* x;
    T value;

    template <int count, int>
    __attribute__((always_inline)) void at(std::int64_t i) const {
        if constexpr (count < streamed<T>)
            store(x + i, all_equal<typename Vector<T, count>::Type>(value));
#if CACHEBENCH_VECTOR == 0
        else
            stream_word(x + i, word_of(value));
#else
        else
            stream_vector(x + i, all_equal<typename Vector<T, count>::Type>(value));
#endif
    }
};

/// Elements before the first aligned address use normal stores, because non-temporal stores need alignment.
template <class T>
static std::uint64_t stream(Passes const& p) {
    Stream<T> const step{static_cast<T*>(p.x), static_cast<T>(p.value)};
    constexpr std::uintptr_t multiple = streamed<T> * sizeof(T);
    std::int64_t const n = p.n;
    std::int64_t first = 0;
    while (first < n && reinterpret_cast<std::uintptr_t>(step.x + first) % multiple != 0)
        ++first;
    std::int64_t const passes = p.passes;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < first; ++i)
            step.template at<1, 0>(i);
        pass<streamed<T>>(first, n, step);
        CACHEBENCH_FENCE(step.x);
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

constinit LoopTable const table = table_of<Of, false>();

}  // namespace cachebench::CACHEBENCH_FLAVOUR
