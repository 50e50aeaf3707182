// SPDX-License-Identifier: BSD-3-Clause
/// Topology: the hardware topology of the node, from hwloc. For sources that link with hwloc.
#pragma once

#include <hwloc.h>

#include <memory>
#include <utility>

namespace bodies {

struct TopologyDelete {
    void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDelete>;

/// Local; takes about 10 ms. Null if the topology cannot be loaded.
[[nodiscard]] inline Topology load_topology() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0)
        return nullptr;
    Topology topology{raw};
    return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

}  // namespace bodies
