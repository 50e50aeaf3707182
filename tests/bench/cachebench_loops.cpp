// SPDX-License-Identifier: BSD-3-Clause
#include "cachebench_loops.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace loops {

namespace {

/// Prevents the compiler from removing repeated passes.
void keep(double* x) { asm volatile("" : : "r"(x) : "memory"); }

}  // namespace

double read(double* x, double*, std::int64_t n, std::int64_t passes) {
    double sum = 0;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; ++i)
            sum += x[i];
        keep(x);
    }
    return sum;
}

double copy(double* x, double* y, std::int64_t n, std::int64_t passes) {
    for (std::int64_t k = 0; k < passes; ++k) {
        std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(double));
        keep(y);
    }
    return 0;
}

double tuned_read(double* x, double*, std::int64_t n, std::int64_t passes) {
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; i += 8) {
            a += x[i];
            b += x[i + 1];
            c += x[i + 2];
            d += x[i + 3];
            e += x[i + 4];
            f += x[i + 5];
            g += x[i + 6];
            h += x[i + 7];
        }
        keep(x);
    }
    return ((a + b) + (c + d)) + ((e + f) + (g + h));
}

double tuned_write(double* x, double*, std::int64_t n, std::int64_t passes) {
    auto value = static_cast<std::uint64_t>(n);
    auto const bits = [](std::uint64_t number) { return std::bit_cast<double>(number); };
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; i += 8) {
            x[i] = bits(value);
            x[i + 1] = bits(value + 1);
            x[i + 2] = bits(value + 2);
            x[i + 3] = bits(value + 3);
            x[i + 4] = bits(value + 4);
            x[i + 5] = bits(value + 5);
            x[i + 6] = bits(value + 6);
            x[i + 7] = bits(value + 7);
            value += 8;
        }
        keep(x);
    }
    return 0;
}

double tuned_modify(double* x, double*, std::int64_t n, std::int64_t passes) {
    for (std::int64_t k = 0; k < passes; ++k) {
        for (std::int64_t i = 0; i < n; i += 8) {
            x[i] += 1;
            x[i + 1] += 1;
            x[i + 2] += 1;
            x[i + 3] += 1;
            x[i + 4] += 1;
            x[i + 5] += 1;
            x[i + 6] += 1;
            x[i + 7] += 1;
        }
        keep(x);
    }
    return 0;
}

// A read with eight sums and a write with eight stores. `width` is the number of doubles in a vector. These are macros,
// because the target attribute of a function cannot be a template parameter.
#define LOOPS_READ(name, features, V, width, zero, load, add, reduce)                                                  \
    features double name(double* x, double*, std::int64_t n, std::int64_t passes) {                                    \
        V a = zero, b = zero, c = zero, d = zero, e = zero, f = zero, g = zero, h = zero;                              \
        for (std::int64_t k = 0; k < passes; ++k) {                                                                    \
            for (double const *p = x, *end = x + n; p != end; p += 8 * (width)) {                                      \
                a = add(a, load(p));                                                                                   \
                b = add(b, load(p + (width)));                                                                         \
                c = add(c, load(p + 2 * (width)));                                                                     \
                d = add(d, load(p + 3 * (width)));                                                                     \
                e = add(e, load(p + 4 * (width)));                                                                     \
                f = add(f, load(p + 5 * (width)));                                                                     \
                g = add(g, load(p + 6 * (width)));                                                                     \
                h = add(h, load(p + 7 * (width)));                                                                     \
            }                                                                                                          \
            keep(x);                                                                                                   \
        }                                                                                                              \
        return reduce(add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h))));                                      \
    }
#define LOOPS_WRITE(name, features, V, width, all, store)                                                              \
    features double name(double* x, double*, std::int64_t n, std::int64_t passes) {                                    \
        V const v = all(static_cast<double>(n));                                                                       \
        for (std::int64_t k = 0; k < passes; ++k) {                                                                    \
            for (double *p = x, *end = x + n; p != end; p += 8 * (width)) {                                            \
                store(p, v);                                                                                           \
                store(p + (width), v);                                                                                 \
                store(p + 2 * (width), v);                                                                             \
                store(p + 3 * (width), v);                                                                             \
                store(p + 4 * (width), v);                                                                             \
                store(p + 5 * (width), v);                                                                             \
                store(p + 6 * (width), v);                                                                             \
                store(p + 7 * (width), v);                                                                             \
            }                                                                                                          \
            keep(x);                                                                                                   \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

namespace {

#if defined(__x86_64__)
#define LOOPS_AVX2 __attribute__((target("avx2")))
#define LOOPS_AVX512 __attribute__((target("avx512f")))
#define LOOPS_NONE

double sum_of(__m128d v) { return v[0] + v[1]; }
LOOPS_AVX512 double sum_of_eight(__m512d v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}
LOOPS_AVX2 double sum_of_four(__m256d v) { return (v[0] + v[1]) + (v[2] + v[3]); }

LOOPS_READ(read_sse2, LOOPS_NONE, __m128d, 2, _mm_setzero_pd(), _mm_load_pd, _mm_add_pd, sum_of)
LOOPS_WRITE(write_sse2, LOOPS_NONE, __m128d, 2, _mm_set1_pd, _mm_store_pd)
LOOPS_READ(read_avx2, LOOPS_AVX2, __m256d, 4, _mm256_setzero_pd(), _mm256_load_pd, _mm256_add_pd, sum_of_four)
LOOPS_WRITE(write_avx2, LOOPS_AVX2, __m256d, 4, _mm256_set1_pd, _mm256_store_pd)
LOOPS_READ(read_avx512, LOOPS_AVX512, __m512d, 8, _mm512_setzero_pd(), _mm512_load_pd, _mm512_add_pd, sum_of_eight)
LOOPS_WRITE(write_avx512, LOOPS_AVX512, __m512d, 8, _mm512_set1_pd, _mm512_store_pd)
#elif defined(__aarch64__)
LOOPS_READ(read_neon, , float64x2_t, 2, vdupq_n_f64(0), vld1q_f64, vaddq_f64, vaddvq_f64)
LOOPS_WRITE(write_neon, , float64x2_t, 2, vdupq_n_f64, vst1q_f64)
#endif

}  // namespace

Vectors vectors(std::string_view isa) {
#if defined(__x86_64__)
    if (isa == "sse2")
        return {read_sse2, write_sse2};
    if (isa == "avx2")
        return {read_avx2, write_avx2};
    if (isa == "avx512")
        return {read_avx512, write_avx512};
#elif defined(__aarch64__)
    if (isa == "neon")
        return {read_neon, write_neon};
#endif
    return {};
}

}  // namespace loops
