// SPDX-License-Identifier: BSD-3-Clause
/// Operation: fills, calls and checks one routine of one library for one problem.
#pragma once

#include "blasbench/blas.hpp"
#include "blasbench/operands.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace blasbench {

/// A routine, its library and its problem.
struct Task {
    Routine const* routine = nullptr;
    Precision precision = Precision::real64;
    Blas const* blas = nullptr;
    Dimensions dimensions{};        ///< m, n and k, each >= 1
    std::int64_t leading = 0;       ///< leading dimension of all matrices, >= their rows; 0: each uses its own rows
    std::string transposed = "NN";  ///< storage of A and B of GEMM: 'T' transposed, 'N' plain
    Scalars scalars{};              ///< ignored by routines without alpha or beta
};

/// Local. Uses the arena's memory, so only one operation may use an arena at a time. All strides are 1, only GEMM may
/// have transposed matrices, and triangles are lower and not unit.
class Operation {
public:
    virtual ~Operation() = default;
    /// Restores the initial values of the written operand, which each call updates or replaces. Call it untimed before
    /// each block of calls.
    virtual void refill() = 0;
    /// Makes the calls. This is the timed part.
    virtual void run(std::int64_t calls) = 0;
    /// Refills, calls once and compares the result with plain loops in double precision. Needs O(m n k) time, so use it
    /// for small dimensions only.
    /// \param damage  corrupts one element of the result first, for tests
    /// \return the error, such as "element (3, 0) is 1.5, not 0.5", or nullopt
    [[nodiscard]] virtual std::optional<std::string> defect(bool damage) = 0;
};

/// Creates an operation and fills its operands.
/// \param arena  large enough for the problem; must outlive the operation, as must the routine and the library
[[nodiscard]] std::unique_ptr<Operation> make_operation(Task const& task, Arena const& arena);

}  // namespace blasbench
