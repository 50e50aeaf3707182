// SPDX-License-Identifier: BSD-3-Clause
/// File check: the content of a file after writing, and the origin of a block that was read. Local, no MPI.
#pragma once

#include "pmb/report/check.hpp"
#include "pmb/rules.hpp"

#include <measure/units.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace pmb {

/// Reads bytes of a file from an offset on.
using ReadAt = std::function<void(measure::Bytes at, std::span<std::byte> into)>;

/// Written data: n records of `length` bytes, each split over the processes.
struct Written {
    int processes = 1;
    measure::Bytes length = 0;
    std::int64_t n = 0;
    [[nodiscard]] Portion block(int rank) const noexcept { return portion(rank, processes, length, element); }
};

/// Checks that a shared file has the processes' blocks in rank order, record by record.
void check_in_order(Verifier& verifier, ReadAt const& read, Written const& written);

/// Checks that a shared file has whole blocks in any order, n of each process.
void check_in_any_order(Verifier& verifier, ReadAt const& read, Written const& written);

/// Checks that a process's own file has its blocks one after another.
void check_own(Verifier& verifier, ReadAt const& read, Written const& written, int rank);

/// Finds the origin of a block in a file with the elements of rank 0: the first match at or after `from`.
/// \param on_elements  whether the block begins at an element boundary; otherwise it may begin within one
/// \returns no value if the file has no such block, or if the block has no complete element and is therefore ambiguous
[[nodiscard]] std::optional<measure::Bytes> locate(std::span<std::byte const> block, measure::Bytes from,
                                                   bool on_elements);

/// Whether the blocks, in any order, cover [0, end) exactly once.
[[nodiscard]] bool tile(std::vector<Portion> blocks, measure::Bytes end);

}  // namespace pmb
