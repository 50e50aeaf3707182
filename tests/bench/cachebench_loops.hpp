// SPDX-License-Identifier: BSD-3-Clause
/// Loops over doubles that share no code with cachebench, for comparison with its kernels.
#pragma once

#include <cstdint>
#include <string_view>

namespace loops {

/// Makes `passes` passes over x. \param y  destination of a copy; other loops ignore it
/// \return the sum of a read, so that the read is not optimised away
using Loop = double (*)(double* x, double* y, std::int64_t n, std::int64_t passes);

[[nodiscard]] double read(double* x, double* y, std::int64_t n, std::int64_t passes);
[[nodiscard]] double copy(double* x, double* y, std::int64_t n, std::int64_t passes);  ///< uses memcpy

// Unrolled by eight, like the original: n must be a multiple of 8.
[[nodiscard]] double tuned_read(double* x, double* y, std::int64_t n, std::int64_t passes);
[[nodiscard]] double tuned_write(double* x, double* y, std::int64_t n, std::int64_t passes);
[[nodiscard]] double tuned_modify(double* x, double* y, std::int64_t n, std::int64_t passes);

/// Loops with intrinsics. The doubles must be aligned to 64 bytes, and n must be a multiple of 64. Null if this
/// architecture does not have the vectors.
struct Vectors {
    Loop read = nullptr;
    Loop write = nullptr;
};
[[nodiscard]] Vectors vectors(std::string_view isa);

}  // namespace loops
