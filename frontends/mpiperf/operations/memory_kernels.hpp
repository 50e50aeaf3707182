// SPDX-License-Identifier: BSD-3-Clause
/// Memory kernels: loops over memory in explicit vectors, one version for each instruction set. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mpiperf {

/// The loops for one instruction set.
struct MemoryKernels {
    std::string_view name;  ///< "avx512"
    /// The sum of the 64-bit words, modulo 2^64. The last word is padded with zeros.
    std::uint64_t (*read)(std::byte const* from, std::size_t bytes) noexcept;
    /// a = b + s c, for n elements. The arrays do not overlap.
    void (*triad)(double* a, double const* b, double const* c, double s, std::size_t n) noexcept;
};

/// The loops that this processor supports, narrow vectors first. At least one.
[[nodiscard]] std::vector<MemoryKernels> const& memory_kernels();

}  // namespace mpiperf
