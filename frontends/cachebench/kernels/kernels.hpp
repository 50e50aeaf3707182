// SPDX-License-Identifier: BSD-3-Clause
/// Kernels: the measured loops. Each flavour is compiled with its own flags and exports one table. A kernel file must
/// not export anything else, because the linker would use one flavour's copy of an inline function for all flavours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cachebench {

/// Element types of the vectors, in the order of the tables.
enum class Element : std::size_t { float64, float32, int32, int8, int64 };
inline constexpr std::size_t element_count = 5;

/// Arguments of a kernel, which runs over the vector `passes` times.
struct Passes {
    void* x = nullptr;             ///< the vector that is read or written
    void const* source = nullptr;  ///< source of memcpy, copy and triad
    void const* second = nullptr;  ///< triad: the vector that is multiplied
    std::int64_t n = 0;            ///< elements (tuned loops: a multiple of 8), bytes for libc, or nodes for latency
    std::int64_t passes = 0;
    std::uint64_t value = 0;  ///< first value to write, or the factor of triad; known only at run time
};

/// \return read: the sum of all elements over all passes, modulo the range of an integer type (exact for float only
///         below 2^24, for double below 2^53); latency: the address of the node after the last; otherwise 0
using Kernel = std::uint64_t (*)(Passes const&);

/// The loops of one element type. Null if a table does not have the loop.
struct Loops {
    Kernel read;
    Kernel write;
    Kernel modify;
    Kernel copy;
    Kernel triad;
    Kernel stream;  ///< write with non-temporal stores
};

struct LoopTable {
    char const* flags;  ///< compiler flags
    bool reassociates;  ///< floating-point additions may be reordered
    bool increments;    ///< write stores a register that is incremented for each element, not one value
    std::array<Loops, element_count> loops;
};

namespace user {
extern LoopTable const table;
}
namespace native {
extern LoopTable const table;
}
namespace noopt {
extern LoopTable const table;
}
namespace free_hand {
extern LoopTable const table;
}
namespace tuned {
extern LoopTable const table;
}

// Explicit vectors: one table for each instruction set of this architecture. Run it only if the CPU supports the set.
namespace scalar {
extern LoopTable const table;
}
#if defined(__x86_64__)
namespace sse2 {
extern LoopTable const table;
}
namespace avx2 {
extern LoopTable const table;
}
namespace avx512 {
extern LoopTable const table;
}
#elif defined(__aarch64__)
namespace neon {
extern LoopTable const table;
}
#endif

/// memset and memcpy of the C library, one call per pass.
[[nodiscard]] std::uint64_t set_memory(Passes const& p);
[[nodiscard]] std::uint64_t copy_memory(Passes const& p);
/// Follows the pointers from node to node.
[[nodiscard]] std::uint64_t chase(Passes const& p);

}  // namespace cachebench
