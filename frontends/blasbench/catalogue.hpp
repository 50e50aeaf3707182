// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the routines, their dimensions and what counts as their work. Pure.
#pragma once

#include <measure/units.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blasbench {

using measure::Bytes;

enum class Kind { axpy, gemv, gemm, trsv, trsm, syr2k };

/// Matrices are square of dimension n, vectors have n elements. The last operand is the one that is written; matrices
/// come before vectors.
struct Routine {
    std::string_view name;  ///< without the letter of the precision: "gemm"
    Kind kind;
    std::string_view title;       ///< "GEMM"
    std::string_view operation;   ///< one line
    std::string_view references;  ///< the count as a formula
    std::string_view flops;
    int matrices;
    int vectors;
    [[nodiscard]] int operands() const noexcept { return matrices + vectors; }
    [[nodiscard]] bool solves() const noexcept { return kind == Kind::trsv || kind == Kind::trsm; }
};
[[nodiscard]] std::span<Routine const> routines() noexcept;
[[nodiscard]] Routine const& routine(std::string_view name);  ///< \throws std::out_of_range
[[nodiscard]] std::vector<std::string> routine_names();

enum class Precision { real64, real32 };
[[nodiscard]] Bytes width(Precision precision) noexcept;            ///< of an element: 8 or 4
[[nodiscard]] std::string_view name(Precision precision) noexcept;  ///< "double", "float"
/// As BLAS and the records call it: "dgemm", "sgemm".
[[nodiscard]] std::string full_name(Routine const& routine, Precision precision);

/// Work of one call. Numbers of doubles, because they outgrow 64 bits before memory does.
struct Counts {
    double references = 0;  ///< every operand of every multiply-add is one
    double flops = 0;
};
[[nodiscard]] Counts counts(Routine const& routine, std::int64_t n) noexcept;

/// Elements of all operands together.
[[nodiscard]] double elements(Routine const& routine, std::int64_t n) noexcept;
/// Bytes of all operands together.
[[nodiscard]] Bytes bytes_used(Routine const& routine, Precision precision, std::int64_t n) noexcept;
/// The largest n whose operands fit into so many bytes; 0: none does.
[[nodiscard]] std::int64_t dimension(Routine const& routine, Precision precision, Bytes limit) noexcept;

}  // namespace blasbench
