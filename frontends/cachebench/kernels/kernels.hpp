// SPDX-License-Identifier: BSD-3-Clause
/// Kernels: the loops that are measured. Each flavour is compiled with flags of its own and exports one table; nothing
/// else may leave such a file, because the linker would take one flavour's copy of an inline function for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cachebench {

/// Types of the vectors' elements, in the order of the tables.
enum class Element : std::size_t { float64, float32, int32, int8, int64 };
inline constexpr std::size_t element_count = 5;

/// What a kernel is to do: `passes` times over the vector.
struct Passes {
    void* x = nullptr;             ///< what is read or written
    void const* source = nullptr;  ///< of memcpy, copy and triad
    void const* second = nullptr;  ///< of triad: the vector that is multiplied
    std::int64_t n = 0;            ///< elements; a multiple of 8 for the tuned loops; bytes for libc; nodes of a cycle
    std::int64_t passes = 0;
    std::uint64_t value = 0;  ///< what is written first, or triad's factor; known only at run time
};

/// \return read: the sum of all elements of all passes, modulo the range of an integer element, exact for a floating
///         one only while it is below 2^24 or 2^53; latency: the address of the node after the last; otherwise 0
using Kernel = std::uint64_t (*)(Passes const&);

/// Of one element type; null where a table has no such loop.
struct Loops {
    Kernel read;
    Kernel write;
    Kernel modify;
    Kernel copy;
    Kernel triad;
    Kernel stream;  ///< write, by non-temporal stores
};

struct LoopTable {
    char const* flags;  ///< of the compiler
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

// Explicit vectors: one table for each instruction set of this architecture, to be run only where the CPU has it.
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
