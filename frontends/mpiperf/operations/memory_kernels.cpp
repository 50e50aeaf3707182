// SPDX-License-Identifier: BSD-3-Clause
#include "mpiperf/operations/memory_kernels.hpp"

// Each instruction set has its own file with the loops, and only this file is compiled for it.
#define MPIPERF_DECLARE(isa)                                                                                           \
    namespace mpiperf::isa {                                                                                           \
    std::uint64_t read(std::byte const* from, std::size_t bytes) noexcept;                                             \
    void triad(double* a, double const* b, double const* c, double s, std::size_t n) noexcept;                         \
    }
MPIPERF_DECLARE(baseline)
#ifdef MPIPERF_HAVE_X86_KERNELS
MPIPERF_DECLARE(avx2)
MPIPERF_DECLARE(avx512)
#endif
#undef MPIPERF_DECLARE

namespace mpiperf {

std::vector<MemoryKernels> const& memory_kernels() {
    static std::vector<MemoryKernels> const all = [] {
        std::vector<MemoryKernels> usable{{"baseline", baseline::read, baseline::triad}};
#ifdef MPIPERF_HAVE_X86_KERNELS
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx2"))
            usable.push_back({"avx2", avx2::read, avx2::triad});
        if (__builtin_cpu_supports("avx512f"))
            usable.push_back({"avx512", avx512::read, avx512::triad});
#endif
        return usable;
    }();
    return all;
}

}  // namespace mpiperf
