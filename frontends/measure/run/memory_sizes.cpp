// SPDX-License-Identifier: BSD-3-Clause
#include "run/memory_sizes.hpp"

#include "bodies/topology.hpp"
#include "program/runtime/control_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace measure::tool::runs {

namespace {

using measure::Bytes;

/// The share of one rank in a cache if the ranks are spread evenly.
Bytes share_of(CacheLevel const& level, int ranks) {
    int const sharers = (ranks + level.caches - 1) / level.caches;
    return level.size / std::max(sharers, 1);
}

/// Largest memory size. A pass over more takes longer than 20 ms, and a launch has several hundred passes. A virtual
/// machine may report the host's cache of several hundred MiB.
constexpr Bytes longest_pass = 256 * measure::mebi;

/// Largest size of each of a rank's two buffers. A power of two, so that runs have the same sizes although the
/// available memory changes.
Bytes largest_buffer(Bytes available, int ranks) {
    if (available <= 0)
        return longest_pass;
    auto const most = static_cast<std::uint64_t>(available / 4 / ranks / 2);
    return std::min(static_cast<Bytes>(std::bit_floor(most)), longest_pass);
}

}  // namespace

HostMemory host_memory() {
    HostMemory host{.available = program::process_memory().available};
    bodies::Topology const topology = bodies::load_topology();
    if (topology == nullptr)
        return host;
    for (auto const type :
         {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
        int const caches = hwloc_get_nbobjs_by_type(topology.get(), type);
        if (caches < 1)
            continue;
        auto const size = static_cast<Bytes>(hwloc_get_obj_by_type(topology.get(), type, 0)->attr->cache.size);
        if (size > 0)
            host.levels.push_back({size, caches});
    }
    return host;
}

std::vector<Bytes> memory_sizes(HostMemory const& host, int ranks) {
    if (host.levels.empty())
        return {};
    std::vector<Bytes> sizes;
    for (auto const& level : host.levels)
        sizes.push_back(share_of(level, ranks) / 2);
    sizes.push_back(4 * share_of(host.levels.back(), ranks));
    Bytes const most = largest_buffer(host.available, ranks);
    for (auto& size : sizes)
        size = std::max(std::min(size, most), Bytes{1});
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

}  // namespace measure::tool::runs
