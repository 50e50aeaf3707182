// SPDX-License-Identifier: BSD-3-Clause
/// Kernel counts: what the kernel did for a thread while it measured.
#pragma once

#pragma GCC visibility push(default)
namespace measure {

/// What the kernel has counted for a thread. Whole numbers, which a maximum or a sum over ranks takes as doubles.
struct KernelCounts {
    double page_faults = 0;           ///< minor and major: memory that was touched for the first time, or read back
    double involuntary_switches = 0;  ///< how often it took the core away

    /// Of several loops together.
    KernelCounts& operator+=(KernelCounts const& other) noexcept {
        page_faults += other.page_faults;
        involuntary_switches += other.involuntary_switches;
        return *this;
    }
};

/// What was counted between two looks.
[[nodiscard]] inline KernelCounts operator-(KernelCounts const& later, KernelCounts const& earlier) noexcept {
    return {later.page_faults - earlier.page_faults, later.involuntary_switches - earlier.involuntary_switches};
}

/// The counts of the calling thread since it began; of the process, where the system has no others. Local. A system
/// call: for loops of one's own, before the first reading of the clock and behind the last one.
[[nodiscard]] KernelCounts kernel_counts() noexcept;

}  // namespace measure
#pragma GCC visibility pop
