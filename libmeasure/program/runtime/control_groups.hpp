// SPDX-License-Identifier: BSD-3-Clause
/// Memory and processor time of the host that this process may use: control groups (containers, batch systems) can
/// limit them. Only this header's source reads control groups.
#pragma once

#include "program/runtime/tree.hpp"

#include <measure/units.hpp>

#include <optional>

namespace program {

/// Memory in bytes, as the kernel reports it; 0: unknown.
struct ProcessMemory {
    measure::Bytes total = 0;           ///< memory of the host, or the tightest limit of a group if that is smaller
    measure::Bytes available = 0;       ///< available without swapping, in host or group; at least 1 if known
    measure::Bytes host_total = 0;      ///< `total` without the limits of groups
    measure::Bytes host_available = 0;  ///< `available` without the limits of groups

    /// Whether a group allows less memory than the host has.
    [[nodiscard]] bool is_limited() const noexcept { return available < host_available || total < host_total; }
};

/// Reads all groups from this process up to the root, which may be a container's. File pages that a group has not used
/// recently count as available. Processes of a group share its available memory. Local.
[[nodiscard]] ProcessMemory process_memory(Tree const& tree = Tree{});

/// The number of cores that the tightest quota grants; infinity without a quota, empty if no groups are visible. Local.
[[nodiscard]] std::optional<double> processor_quota(Tree const& tree = Tree{});

/// The warning if a quota grants fewer cores than the ranks use.
inline constexpr char const* short_quota =
    "a quota on processor time (cgroup) is less than the ranks use: they are paused in each period";

}  // namespace program
