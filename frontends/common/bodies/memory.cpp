// SPDX-License-Identifier: BSD-3-Clause
#include "bodies/memory.hpp"

#include "bodies/topology.hpp"
#include "program/runtime/control_groups.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

namespace bodies {

namespace {

struct BitmapFree {
    void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

/// The cores to which this process is bound; empty if unknown.
Bitmap binding(hwloc_topology_t topology) {
    Bitmap cores{hwloc_bitmap_alloc()};
    return hwloc_get_cpubind(topology, cores.get(), HWLOC_CPUBIND_PROCESS) == 0 ? std::move(cores) : nullptr;
}

/// The caches of a level that the cores use; size 0 without such a cache.
LastLevelCache caches(hwloc_topology_t topology, hwloc_obj_type_t level, hwloc_const_bitmap_t cores) {
    LastLevelCache found;
    int const n = hwloc_get_nbobjs_by_type(topology, level);
    for (int i = 0; i < n; ++i) {
        hwloc_obj_t const cache = hwloc_get_obj_by_type(topology, level, static_cast<unsigned>(i));
        if (cores != nullptr && hwloc_bitmap_intersects(cache->cpuset, cores) == 0)
            continue;
        if (found.size == 0)
            found.index = i;
        found.size += static_cast<measure::Bytes>(cache->attr->cache.size);
    }
    return found;
}

}  // namespace

LastLevelCache last_level_cache() {
    Topology const topology = load_topology();
    if (topology == nullptr)
        return {unknown_cache};
    Bitmap const cores = binding(topology.get());
    for (auto const level : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE})
        if (auto const found = caches(topology.get(), level, cores.get()); found.size > 0)
            return found;
    return {unknown_cache};
}

measure::Bytes memory_left(measure::Comm const& comm) {
    measure::Comm const node = comm.node();
    // The reduction completes only after all ranks have read, so no rank allocates buffers before another one reads.
    auto const mine = program::process_memory().available;
    double const unknown = std::numeric_limits<double>::infinity();
    double const least = -node.max(mine > 0 ? -static_cast<double>(mine) : -unknown);
    return least < unknown ? static_cast<measure::Bytes>(least) / node.size()
                           : std::numeric_limits<measure::Bytes>::max();
}

measure::Bytes memory_share(measure::Comm const& comm) {
    auto const left = memory_left(comm);
    return left < std::numeric_limits<measure::Bytes>::max() ? left / 4 : left;
}

measure::Bytes room_for_buffers(measure::Comm const& world) {
    auto const left = static_cast<double>(memory_left(world));
    return static_cast<measure::Bytes>(-world.max(-left) / 3 * 2);
}

measure::Bytes memory_per_process(measure::Comm const& world, std::optional<int> supposed) {
    auto const node = world.node();
    int const per_node = supposed ? std::min(*supposed, measure::usable_cores()) : node.size();
    auto const share = program::process_memory().total / std::max(per_node, 1) / measure::mebi * measure::mebi;
    return static_cast<measure::Bytes>(-world.max(-static_cast<double>(share)));
}

measure::Bytes memory_of_all_nodes(measure::Comm const& world) {
    bool const speaks = world.node().is_root();
    return static_cast<measure::Bytes>(world.sum(speaks ? static_cast<double>(program::process_memory().total) : 0));
}

CacheShare cache_share(measure::Comm const& comm, LastLevelCache const& cache) {
    return {comm.node().split(cache.index).value(), 2 * cache.size};
}

AgreedBlocks agreed_blocks(measure::Comm const& team, BufferPolicy const& policy, Sizes const& sizes, int copies,
                           CacheShare const* share) {
    auto const strides = layout(policy, sizes);
    measure::Bytes const block = copies * (strides.send_stride + strides.receive_stride);
    bool const has_bytes = sizes.send + sizes.receive > 0;
    auto wanted = policy.blocks;
    if (share != nullptr) {
        auto const in_sum = static_cast<measure::Bytes>(share->sharers.sum(has_bytes ? static_cast<double>(block) : 0));
        if (in_sum > 0)
            wanted = std::max(wanted, (share->pool + in_sum - 1) / in_sum);
    }
    double const asked = team.max(has_bytes ? static_cast<double>(wanted) : 1);
    double const allowed = -team.max(-static_cast<double>(policy.limit / block));
    return {static_cast<measure::Bytes>(std::min(asked, allowed)), allowed < asked};
}

}  // namespace bodies
