// SPDX-License-Identifier: BSD-3-Clause
/// Memory of this process, by the kernel's word.
#pragma once

#include <measure/units.hpp>

#include <string_view>

namespace mpiperf {

/// Bytes; 0 where the kernel does not say. Trivially copyable.
struct ProcessMemory {
    measure::Bytes resident = 0;   ///< in memory now, huge pages of hugetlbfs not counted
    measure::Bytes peak = 0;       ///< the most that was resident at any time
    measure::Bytes anonymous = 0;  ///< of no file: heap, stacks
    measure::Bytes file = 0;       ///< of files: code, mapped data
    measure::Bytes shared = 0;     ///< shared memory, counted in each process that has touched it
    measure::Bytes huge = 0;       ///< in huge pages of any kind
};

/// From the text of /proc/PID/status, and of /proc/PID/smaps_rollup, which may be empty. What both say is taken from
/// the latter: it has counted pages, where the former may be some dozens of pages behind. Pure.
[[nodiscard]] ProcessMemory parse_process_memory(std::string_view status, std::string_view rollup) noexcept;

/// Local. Allocates nothing, so that looking does not change what is seen. Takes some 0.1 ms.
[[nodiscard]] ProcessMemory process_memory() noexcept;

/// Size of a page, bytes. Local.
[[nodiscard]] measure::Bytes page_size() noexcept;

}  // namespace mpiperf
