// SPDX-License-Identifier: BSD-3-Clause
#include "measure/kernel_counts.hpp"

#include <sys/resource.h>

namespace measure {

KernelCounts kernel_counts() noexcept {
#ifdef RUSAGE_THREAD
    constexpr int who = RUSAGE_THREAD;
#else
    constexpr int who = RUSAGE_SELF;
#endif
    rusage usage{};
    getrusage(who, &usage);
    return {static_cast<double>(usage.ru_minflt + usage.ru_majflt), static_cast<double>(usage.ru_nivcsw)};
}

}  // namespace measure
