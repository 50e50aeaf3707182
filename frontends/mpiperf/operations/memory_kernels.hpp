// SPDX-License-Identifier: BSD-3-Clause
/// Memory kernels: loops over memory in explicit vectors, once for each instruction set. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mpiperf {

/// The loops for one instruction set.
struct MemoryKernels {
    std::string_view name;  ///< "avx512"
    /// The sum of the 64-bit words, modulo 2^64; the last word is filled up with zeros.
    std::uint64_t (*read)(std::byte const* from, std::size_t bytes) noexcept;
    /// a = b + s c, for n elements. The arrays do not overlap.
    void (*triad)(double* a, double const* b, double const* c, double s, std::size_t n) noexcept;
};

/// The loops that this processor can run, narrow vectors first; at least one.
[[nodiscard]] std::vector<MemoryKernels> const& memory_kernels();

}  // namespace mpiperf
