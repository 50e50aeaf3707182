// SPDX-License-Identifier: BSD-3-Clause
/// The loops of memory kernels. Each instruction set has a file that includes this one with MPIPERF_ISA, the namespace
/// of its loops, and MPIPERF_VECTOR, the bytes of its vectors. On a processor without such vectors the compiler splits
/// them.
///
/// A trip sums eight vectors separately, so that no addition waits for the previous one. The loops call no function of
/// the library, because it would be compiled for an instruction set that another processor may lack.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mpiperf::MPIPERF_ISA {

using Words __attribute__((vector_size(MPIPERF_VECTOR))) = std::uint64_t;
using Numbers __attribute__((vector_size(MPIPERF_VECTOR))) = double;

constexpr std::size_t vector = MPIPERF_VECTOR;
constexpr std::size_t trip = 8 * vector;

// The address need not be aligned.
template <class V>
inline __attribute__((always_inline)) V load(void const* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

/// Sums the bytes after the last full trip.
inline __attribute__((always_inline)) std::uint64_t rest_of(std::byte const* from, std::size_t bytes) {
    std::uint64_t sum = 0;
    std::size_t i = 0;
    for (; i + sizeof sum <= bytes; i += sizeof sum)
        sum += load<std::uint64_t>(from + i);
    std::uint64_t last = 0;
    __builtin_memcpy(&last, from + i, bytes - i);
    return sum + last;
}

// memory_kernels.cpp declares this function and triad.
std::uint64_t read(std::byte const* from, std::size_t bytes) noexcept;
std::uint64_t read(std::byte const* from, std::size_t bytes) noexcept {
    Words s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
    std::byte const* const end = from + bytes / trip * trip;
    for (; from != end; from += trip) {
        s0 += load<Words>(from);
        s1 += load<Words>(from + vector);
        s2 += load<Words>(from + 2 * vector);
        s3 += load<Words>(from + 3 * vector);
        s4 += load<Words>(from + 4 * vector);
        s5 += load<Words>(from + 5 * vector);
        s6 += load<Words>(from + 6 * vector);
        s7 += load<Words>(from + 7 * vector);
    }
    Words const all = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < vector / sizeof sum; ++k)
        sum += all[k];
    // Without this test, an empty rest would still cost a call to copy.
    return bytes % trip == 0 ? sum : sum + rest_of(from, bytes % trip);
}

void triad(double* a, double const* b, double const* c, double s, std::size_t n) noexcept;
void triad(double* a, double const* b, double const* c, double s, std::size_t n) noexcept {
    constexpr std::size_t width = vector / sizeof(double);
    Numbers const factor = Numbers{} + s;
    std::size_t i = 0;
    for (; i + 4 * width <= n; i += 4 * width)
        for (std::size_t k = i; k < i + 4 * width; k += width) {
            Numbers const sum = load<Numbers>(b + k) + factor * load<Numbers>(c + k);
            __builtin_memcpy(a + k, &sum, sizeof sum);
        }
    for (; i < n; ++i)
        a[i] = b[i] + s * c[i];
}

}  // namespace mpiperf::MPIPERF_ISA
