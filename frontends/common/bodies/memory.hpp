// SPDX-License-Identifier: BSD-3-Clause
/// Memory of the node: how much there is for buffers, and how large a pool must be to be cold.
#pragma once

#include "bodies/buffers.hpp"

#include <measure/comm.hpp>
#include <measure/units.hpp>

#include <optional>

namespace bodies {

/// What a cache is taken for where the machine does not say.
inline constexpr measure::Bytes unknown_cache = 64 * measure::mebi;

/// The last-level cache that this process may reach, by its binding; all of them where it is not bound.
struct LastLevelCache {
    measure::Bytes size = 0;  ///< in sum
    int index = 0;            ///< of the first one on the node
};

/// Local; loads the topology of the node (some 10 ms). 64 MiB where the machine does not say. In a virtual machine it
/// may be the host's cache, some hundred MiB.
[[nodiscard]] LastLevelCache last_level_cache();

/// The memory that is available to a process: that of the host, or of its tightest control group, divided by the ranks
/// of the host; the largest number where nothing is known. Collective.
[[nodiscard]] measure::Bytes memory_left(measure::Comm const& comm);

/// The most that the buffers of a process may take, so that the kernel does not end it; equal on all ranks. It is two
/// thirds of the smallest `memory_left`, because a collective operation may take one more buffer for each pair.
/// Collective; to be called before there are large buffers.
[[nodiscard]] measure::Bytes room_for_buffers(measure::Comm const& world);

/// A quarter of `memory_left`: the default limit of a rank's buffers. Collective.
[[nodiscard]] measure::Bytes memory_share(measure::Comm const& comm);

/// The memory of a node, as far as control groups allow it, divided by its processes, the smallest of all nodes, in
/// whole MiB: what a benchmark takes whose sizes follow from the memory of a process. 0 where the kernel does not say.
/// Collective. \param supposed  processes of a world that is not there: as many on each node as this one has cores
[[nodiscard]] measure::Bytes memory_per_process(measure::Comm const& world, std::optional<int> supposed = {});
/// How reports and records say where that number comes from.
inline constexpr char const* memory_per_process_source =
    "auto: memory of a node / its processes, the smallest of all nodes";

/// The memory of all nodes together, as far as control groups allow it; 0 where the kernel does not say. Collective.
[[nodiscard]] measure::Bytes memory_of_all_nodes(measure::Comm const& world);

/// The ranks that share a last-level cache, and how much of memory must go through it to defeat it.
struct CacheShare {
    measure::Comm sharers;
    measure::Bytes pool = 0;  ///< of these ranks in sum: twice the cache
};

/// Collective over the ranks that run at the same time.
[[nodiscard]] CacheShare cache_share(measure::Comm const& comm, LastLevelCache const& cache);

/// How many blocks the buffers of a team have, the same on all its ranks.
struct AgreedBlocks {
    measure::Bytes number = 1;  ///< 0: the limit of some rank does not allow one
    bool cut = false;           ///< limits allow fewer than what was asked for
};

/// As many as the policy asks for, and with `share` at least so many that the pools of no cache's sharers are too
/// small; but no more than the limit of every rank allows. One where no rank has bytes. Collective over the team.
/// \param sizes   of this rank's buffers  \param copies  of these that it has, each with so many blocks
/// \param share  of this rank's cache, where buffers are to be cold; null on all ranks otherwise
[[nodiscard]] AgreedBlocks agreed_blocks(measure::Comm const& team, BufferPolicy const& policy, Sizes const& sizes,
                                         int copies, CacheShare const* share);

}  // namespace bodies
