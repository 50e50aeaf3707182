// SPDX-License-Identifier: BSD-3-Clause
/// Memory of this process as reported by the kernel.
#pragma once

#include <measure/units.hpp>

#include <string_view>

namespace mpiperf {

/// In bytes; 0 if the kernel does not report it. Trivially copyable.
struct ProcessMemory {
    measure::Bytes resident = 0;   ///< in memory now, without huge pages of hugetlbfs
    measure::Bytes peak = 0;       ///< peak of the resident memory
    measure::Bytes anonymous = 0;  ///< without a file: heap, stacks
    measure::Bytes file = 0;       ///< backed by files: code, mapped data
    measure::Bytes shared = 0;     ///< shared memory, counted in each process that has touched it
    measure::Bytes huge = 0;       ///< in huge pages of any kind
};

/// Parses the text of /proc/PID/status, and of /proc/PID/smaps_rollup, which may be empty. Values in both are taken
/// from the latter, which counts pages, whereas the former may lag by some dozens of pages. Pure.
[[nodiscard]] ProcessMemory parse_process_memory(std::string_view status, std::string_view rollup) noexcept;

/// Local. Allocates nothing, so that the observation does not change the result. Takes about 0.1 ms.
[[nodiscard]] ProcessMemory process_memory() noexcept;

/// Size of a page, in bytes. Local.
[[nodiscard]] measure::Bytes page_size() noexcept;

}  // namespace mpiperf
