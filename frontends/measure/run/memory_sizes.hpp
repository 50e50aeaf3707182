// SPDX-License-Identifier: BSD-3-Clause
/// Memory sizes: the sizes of the topic memory, chosen from the caches and the memory of this host. Local.
#pragma once

#include <measure/units.hpp>

#include <vector>

namespace measure::tool::runs {

/// The data caches of one level.
struct CacheLevel {
    measure::Bytes size = 0;  ///< size of each cache
    int caches = 1;           ///< number of caches of this level on the host
};

struct HostMemory {
    std::vector<CacheLevel> levels{};  ///< smallest cache first; empty: unknown
    measure::Bytes available = 0;      ///< memory available without swapping; 0: unknown
};

/// Reads the caches and the memory of this host. Takes about 10 ms.
[[nodiscard]] HostMemory host_memory();

/// Buffer sizes of a rank: half of its share of each cache level, and four times its share of the last level, which
/// exceeds the caches. At most 256 MiB. All ranks together use at most a quarter of the available memory, even for
/// operations with two buffers. Ascending; empty if no cache is known. Pure. \param ranks  on this host, >= 1
[[nodiscard]] std::vector<measure::Bytes> memory_sizes(HostMemory const& host, int ranks);

}  // namespace measure::tool::runs
