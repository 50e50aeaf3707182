// SPDX-License-Identifier: BSD-3-Clause
/// Non-temporal stores, which bypass the caches. CACHEBENCH_STREAMS is defined if the architecture has them. Only for
/// the kernel files.
#pragma once

#include "cachebench/kernels/element.hpp"

#include <cstdint>

#if defined(__x86_64__) || defined(__aarch64__)
#define CACHEBENCH_STREAMS
#endif

#ifdef CACHEBENCH_STREAMS
namespace cachebench::CACHEBENCH_FLAVOUR {

/// Fills a word with copies of the value.
template <class T>
__attribute__((always_inline)) inline static std::uint64_t word_of(T value) {
    std::uint64_t word = 0;
    for (unsigned i = 0; i < sizeof word / sizeof value; ++i)
        __builtin_memcpy(reinterpret_cast<char*>(&word) + i * sizeof value, &value, sizeof value);
    return word;
}

/// Stores eight bytes at any address. In assembly, because no intrinsic covers all compilers and both architectures.
__attribute__((always_inline)) inline static void stream_word(void* at, std::uint64_t word) {
#if defined(__x86_64__)
    asm volatile("movnti %1, %0" : "=m"(*static_cast<std::uint64_t*>(at)) : "r"(word));
#else
    // Stores two halves, because the architecture only has stores of pairs.
    asm volatile("stnp %w1, %w2, %0"
                 : "=Q"(*static_cast<std::uint64_t*>(at))
                 : "r"(static_cast<std::uint32_t>(word)), "r"(static_cast<std::uint32_t>(word >> 32U)));
#endif
}

/// Waits until all stores have left the core.
__attribute__((always_inline)) inline static void drain() {
#if defined(__x86_64__)
    asm volatile("mfence" : : : "memory");
#else
    asm volatile("dsb ish" : : : "memory");
#endif
}

}  // namespace cachebench::CACHEBENCH_FLAVOUR
#endif
