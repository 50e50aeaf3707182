// SPDX-License-Identifier: BSD-3-Clause
/// The processing units that this process may use.
#pragma once

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace measure::detail {

/// The affinity mask, bit by bit over all sets; empty where the system does not tell. Local.
inline std::vector<cpu_set_t> affinity_mask() {
    // The mask's size is the kernel's choice: grow until it fits.
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
