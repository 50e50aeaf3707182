// SPDX-License-Identifier: BSD-3-Clause
/// Operation: one routine of one library with one problem: filled, called, checked.
#pragma once

#include "blasbench/blas.hpp"
#include "blasbench/operands.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace blasbench {

/// What to call, and on what.
struct Task {
    Routine const* routine = nullptr;
    Precision precision = Precision::real64;
    Blas const* blas = nullptr;
    Dimensions dimensions{};        ///< each >= 1
    std::int64_t leading = 0;       ///< of the matrices, >= their rows; 0: of each its own rows
    std::string transposed = "NN";  ///< A and B of GEMM: 'T', or 'N' for no
    Scalars scalars{};              ///< of the routines that have them
};

/// Local. The memory is the arena's and belongs to one operation at a time. All strides are 1, only
/// GEMM may have transposed matrices, triangles are lower and not unit.
class Operation {
public:
    virtual ~Operation() = default;
    /// Fills the operand that is written with its first values: to be called, untimed, before a block of calls, because
    /// each call adds to it or replaces it.
    virtual void refill() = 0;
    /// The timed part: so many calls.
    virtual void run(std::int64_t calls) = 0;
    /// Refills, calls once and compares with plain loops in double precision. For small dimensions: takes m n k.
    /// \param damage  spoils an element before it is compared: for tests
    /// \return what is wrong, or nothing: "element (3, 0) is 1.5, not 0.5"
    [[nodiscard]] virtual std::optional<std::string> defect(bool damage) = 0;
};

/// Fills the operands. \param arena  with room for it; outlives the operation, as do routine and library
[[nodiscard]] std::unique_ptr<Operation> make_operation(Task const& task, Arena const& arena);

}  // namespace blasbench
