// SPDX-License-Identifier: BSD-3-Clause
/// Kernel counts: activity of the kernel for a thread during a measurement.
#pragma once

#pragma GCC visibility push(default)
namespace measure {

/// Counts of the kernel for a thread. Whole numbers, stored as doubles so that they can be reduced over ranks.
struct KernelCounts {
    double page_faults = 0;  ///< minor and major page faults: memory touched for the first time, or read back from disk
    double involuntary_switches = 0;  ///< number of times that the kernel took the core away

    /// Adds the counts of another loop.
    KernelCounts& operator+=(KernelCounts const& other) noexcept {
        page_faults += other.page_faults;
        involuntary_switches += other.involuntary_switches;
        return *this;
    }
};

/// Counts between two calls of `kernel_counts`.
[[nodiscard]] inline KernelCounts operator-(KernelCounts const& later, KernelCounts const& earlier) noexcept {
    return {later.page_faults - earlier.page_faults, later.involuntary_switches - earlier.involuntary_switches};
}

/// Counts of the calling thread since it began, or of the whole process on systems without counts per thread. Local.
/// This is a system call: in your own timing loop, call it before the first and after the last clock reading.
[[nodiscard]] KernelCounts kernel_counts() noexcept;

}  // namespace measure
#pragma GCC visibility pop
