// SPDX-License-Identifier: BSD-3-Clause
/// Memory and processor time of this process, as its host has them and control groups limit them (containers, batch
/// systems). The only place that reads them.
#pragma once

#include "program/runtime/tree.hpp"

#include <measure/units.hpp>

#include <optional>

namespace program {

/// By the kernel's word; 0 where it does not say.
struct ProcessMemory {
    measure::Bytes total = 0;           ///< of the host, or what the tightest group allows where that is less
    measure::Bytes available = 0;       ///< without swapping, of host or group; at least 1 where it is known
    measure::Bytes host_total = 0;      ///< without the limits of groups
    measure::Bytes host_available = 0;  ///< without the limits of groups

    /// A group leaves less than the host has.
    [[nodiscard]] bool is_limited() const noexcept { return available < host_available || total < host_total; }
};

/// Looks at all groups from this process up to the root, which may belong to a container. Pages of files that a group
/// has not used for a while count as available. Processes of one group share its rest. Local.
[[nodiscard]] ProcessMemory process_memory(Tree const& tree = Tree{});

/// The cores that the tightest quota grants; infinity where there is no quota, nothing where groups cannot be seen.
/// Local.
[[nodiscard]] std::optional<double> processor_quota(Tree const& tree = Tree{});

/// The warning where a quota grants fewer cores than ranks use.
inline constexpr char const* short_quota =
    "a quota on processor time (cgroup) is less than the ranks use: they are stopped in each period";

}  // namespace program
