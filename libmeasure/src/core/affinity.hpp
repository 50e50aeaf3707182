// SPDX-License-Identifier: BSD-3-Clause
/// The processing units available to this process.
#pragma once

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace measure::detail {

/// The affinity mask, one bit per processing unit; empty if the system does not provide it. Local.
inline std::vector<cpu_set_t> affinity_mask() {
    // The kernel defines the size of the mask: grow until it fits.
    for (std::size_t sets = 1; sets <= 1024; sets *= 2) {
        std::vector<cpu_set_t> mask(sets);
        if (sched_getaffinity(0, sets * sizeof(cpu_set_t), mask.data()) == 0)
            return mask;
        if (errno != EINVAL)
            break;
    }
    return {};
}

}  // namespace measure::detail
