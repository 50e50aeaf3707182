// SPDX-License-Identifier: BSD-3-Clause
/// Memory sizes: at which sizes the topic memory measures, by the caches and the memory of this host. Local.
#pragma once

#include <measure/units.hpp>

#include <vector>

namespace measure::tool::runs {

/// The data caches of one level.
struct CacheLevel {
    measure::Bytes size = 0;  ///< of each
    int caches = 1;           ///< so many on the host
};

struct HostMemory {
    std::vector<CacheLevel> levels{};  ///< smallest first; empty: not known
    measure::Bytes available = 0;      ///< without swapping; 0: not known
};

/// Looks at this host (some 10 ms).
[[nodiscard]] HostMemory host_memory();

/// For each process: half of its share of each level, and then four times its share of the last level, where memory
/// itself has to deliver; at most 256 MiB. All processes together take at most a quarter of the available memory, also
/// where an operation has two buffers. Ascending; empty where no cache is known. Pure. \param ranks  on this host, >= 1
[[nodiscard]] std::vector<measure::Bytes> memory_sizes(HostMemory const& host, int ranks);

}  // namespace measure::tool::runs
