// SPDX-License-Identifier: BSD-3-Clause
/// Catalogue: the routines, their dimensions and their work (flops, references, bytes). Pure.
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

/// The dimensions of a problem. In GEMM A is m x k, B is k x n and C is m x n; A and B may be stored transposed. All
/// other matrices are square and vectors have n elements, so m = n = k.
struct Dimensions {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;

    Dimensions() = default;
    Dimensions(std::int64_t square)  // NOLINT(google-explicit-constructor): a single number means a square problem
        : m{square}, n{square}, k{square} {}
    Dimensions(std::int64_t rows, std::int64_t columns, std::int64_t inner) : m{rows}, n{columns}, k{inner} {}
    friend bool operator==(Dimensions const&, Dimensions const&) = default;
};
/// "64x128x32": m, n, k.
[[nodiscard]] std::string text(Dimensions const& dimensions);

/// A BLAS routine. The last operand is the one that is written. Matrices come before vectors.
struct Routine {
    std::string_view name;  ///< without the precision letter: "gemm"
    Kind kind;
    std::string_view title;       ///< for tables: "GEMM"
    std::string_view operation;   ///< formula, one line: "C = alpha A B + beta C"
    std::string_view references;  ///< number of references of a call, as a formula
    std::string_view flops;
    int matrices;
    int vectors;
    bool has_shape = false;   ///< problems have separate m, n and k
    bool overwrites = false;  ///< beta is 0, so the last operand is only written
    [[nodiscard]] int operands() const noexcept { return matrices + vectors; }
    [[nodiscard]] bool solves() const noexcept { return kind == Kind::trsv || kind == Kind::trsm; }
    [[nodiscard]] bool has_alpha() const noexcept { return kind != Kind::trsv; }
    [[nodiscard]] bool has_beta() const noexcept { return kind != Kind::axpy && !solves(); }
};
[[nodiscard]] std::span<Routine const> routines() noexcept;   ///< all routines with square problems
[[nodiscard]] Routine const& shaped_gemm() noexcept;          ///< GEMM with separate m, n and k
[[nodiscard]] Routine const& routine(std::string_view name);  ///< \throws std::out_of_range
/// The routine with beta = 0, or the routine itself if it has no beta.
[[nodiscard]] Routine const& without_beta(Routine const& routine) noexcept;
[[nodiscard]] std::vector<std::string> routine_names();

/// alpha scales the product, beta the operand that it is added to.
struct Scalars {
    double alpha = 1;
    double beta = 1;
};

enum class Precision { real64, real32 };
[[nodiscard]] Bytes width(Precision precision) noexcept;            ///< size of an element in bytes: 8 or 4
[[nodiscard]] std::string_view name(Precision precision) noexcept;  ///< "double", "float"
/// The name with its precision letter, as in BLAS and in the records: "dgemm", "sgemm".
[[nodiscard]] std::string full_name(Routine const& routine, Precision precision);

/// Work of one call, counted as in the original: multiplications by alpha and beta count even if these are 1. The
/// counts are doubles because they exceed 64 bits for problems that still fit into memory.
struct Counts {
    double references = 0;  ///< operands of all multiply-adds
    double flops = 0;
};
[[nodiscard]] Counts counts(Routine const& routine, Dimensions const& dimensions) noexcept;

/// Number of elements of each operand, as doubles for the same reason as in `Counts`.
[[nodiscard]] std::vector<double> elements(Routine const& routine, Dimensions const& dimensions);
/// Total size of all operands in bytes. A double because requested sizes may exceed 64 bits.
[[nodiscard]] double bytes_needed(Routine const& routine, Precision precision, Dimensions const& dimensions);
/// Total size of all operands in bytes, for problems that fit into memory.
[[nodiscard]] Bytes bytes_used(Routine const& routine, Precision precision, Dimensions const& dimensions);
/// The largest n whose operands fit into `limit` bytes; 0 if not even n = 1 fits.
[[nodiscard]] std::int64_t dimension(Routine const& routine, Precision precision, Bytes limit);

}  // namespace blasbench
