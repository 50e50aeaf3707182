// SPDX-License-Identifier: BSD-3-Clause
/// File check: what lies in a file after it was written, and where a block that was read comes from. Local, no MPI.
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

/// Bytes of a file, from an offset on.
using ReadAt = std::function<void(measure::Bytes at, std::span<std::byte> into)>;

/// What was written: n records of `length` bytes, each split over the processes.
struct Written {
    int processes = 1;
    measure::Bytes length = 0;
    std::int64_t n = 0;
    [[nodiscard]] Portion block(int rank) const noexcept { return portion(rank, processes, length, element); }
};

/// A common file holds the processes' blocks in the order of the ranks, record by record.
void check_in_order(Verifier& verifier, ReadAt const& read, Written const& written);

/// A common file holds the processes' blocks in any order, but whole, and n of each process.
void check_in_any_order(Verifier& verifier, ReadAt const& read, Written const& written);

/// A process's own file holds its blocks one after another.
void check_own(Verifier& verifier, ReadAt const& read, Written const& written, int rank);

/// Where in a file that holds the elements of rank 0 a block comes from: the first place from `from` on.
/// \param on_elements  it begins with an element; otherwise inside of one, perhaps
/// \return nothing where the file does not hold such a block, or where it is too short to be told from others: it must
///         hold a whole element
[[nodiscard]] std::optional<measure::Bytes> locate(std::span<std::byte const> block, measure::Bytes from,
                                                   bool on_elements);

/// The blocks, in whatever order, cover [0, end) once.
[[nodiscard]] bool tile(std::vector<Portion> blocks, measure::Bytes end);

}  // namespace pmb
