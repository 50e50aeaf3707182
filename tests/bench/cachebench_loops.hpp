// SPDX-License-Identifier: BSD-3-Clause
/// Loops over doubles that share nothing with cachebench's: what its kernels are compared with.
#pragma once

#include <cstdint>
#include <string_view>

namespace loops {

/// `passes` times over x. \param y  only of a copy, which writes it
/// \return the sum of a read, so that it is done
using Loop = double (*)(double* x, double* y, std::int64_t n, std::int64_t passes);

[[nodiscard]] double read(double* x, double* y, std::int64_t n, std::int64_t passes);
[[nodiscard]] double copy(double* x, double* y, std::int64_t n, std::int64_t passes);  ///< by memcpy

// Unrolled by eight, as the original's: n is a multiple of 8.
[[nodiscard]] double tuned_read(double* x, double* y, std::int64_t n, std::int64_t passes);
[[nodiscard]] double tuned_write(double* x, double* y, std::int64_t n, std::int64_t passes);
[[nodiscard]] double tuned_modify(double* x, double* y, std::int64_t n, std::int64_t passes);

/// Loops of intrinsics, of doubles that are aligned to 64 bytes: n is a multiple of 64. Null where there are no such
/// vectors on this architecture.
struct Vectors {
    Loop read = nullptr;
    Loop write = nullptr;
};
[[nodiscard]] Vectors vectors(std::string_view isa);

}  // namespace loops
