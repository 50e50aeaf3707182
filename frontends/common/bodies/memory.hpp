// SPDX-License-Identifier: BSD-3-Clause
/// Memory of the node: the memory available for buffers, and the pool size that makes buffers cold.
#pragma once

#include "bodies/buffers.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <optional>

namespace bodies {

/// Assumed cache size if the machine does not report it.
inline constexpr measure::Bytes unknown_cache = 64 * measure::mebi;

/// The last-level caches that this process can use: the caches of the cores to which it is bound, or all caches.
struct LastLevelCache {
    measure::Bytes size = 0;  ///< total size
    int index = 0;            ///< index of the first one on the node
};

/// Local; loads the topology of the node, which takes about 10 ms. 64 MiB if the machine does not report a cache. In a
/// virtual machine it may be the host's cache of some hundred MiB.
[[nodiscard]] LastLevelCache last_level_cache();

/// The memory available to a process, in bytes: the smallest value that the ranks of a host see (host or tightest
/// control group), divided by their number. The largest number if it is unknown. Collective.
[[nodiscard]] measure::Bytes memory_left(measure::Comm const& comm);

/// The largest total buffer size of a process for which the kernel does not kill it; equal on all ranks. It is two
/// thirds of the smallest `memory_left`, because a collective operation may allocate another buffer for each pair.
/// Collective; call it before large buffers are allocated.
[[nodiscard]] measure::Bytes room_for_buffers(measure::Comm const& world);

/// A quarter of `memory_left`: the default limit of a rank's buffers. Collective.
[[nodiscard]] measure::Bytes memory_share(measure::Comm const& comm);

/// The memory per process, for benchmarks whose sizes depend on it: the memory of a node within its control groups,
/// divided by its processes; the minimum over all nodes, in whole MiB. 0 if the kernel does not report it. Collective.
/// \param supposed  number of processes of an assumed world, with at most as many on a node as this node has cores
[[nodiscard]] measure::Bytes memory_per_process(measure::Comm const& world, std::optional<int> supposed = {});
/// Source of this number in reports and records.
inline constexpr char const* memory_per_process_source =
    "auto: memory of a node / its processes, the smallest of all nodes";

/// The total memory of all nodes within their control groups; 0 if the kernel does not report it. Collective.
[[nodiscard]] measure::Bytes memory_of_all_nodes(measure::Comm const& world);

/// The ranks that share a last-level cache, and the pool size that defeats it.
struct CacheShare {
    measure::Comm sharers;
    measure::Bytes pool = 0;  ///< total pool of these ranks: twice the cache
};

/// Collective over the ranks that run at the same time.
[[nodiscard]] CacheShare cache_share(measure::Comm const& comm, LastLevelCache const& cache);

/// The number of blocks of a team's buffers, the same on all its ranks.
struct AgreedBlocks {
    measure::Bytes number = 1;  ///< 0: a rank's limit does not allow a single block
    bool cut = false;           ///< whether limits reduced the requested number
};

/// The number of blocks that the policy requests. With `share` it is increased until the ranks of each cache together
/// exceed the pool. The limits of all ranks bound it. 1 if no rank has bytes. Collective over the team.
/// \param sizes   sizes of this rank's buffers  \param copies  number of such buffer pairs, each with these blocks
/// \param share   share of this rank's cache for cold buffers; null on all ranks for warm buffers
[[nodiscard]] AgreedBlocks agreed_blocks(measure::Comm const& team, BufferPolicy const& policy, Sizes const& sizes,
                                         int copies, CacheShare const* share);

}  // namespace bodies
