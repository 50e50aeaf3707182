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

/// The dimensions of a problem. In GEMM A has m rows and k columns, B k and n, C m and n, before A and B are stored
/// transposed. All other matrices are square, and vectors have n elements: m = n = k.
struct Dimensions {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;

    Dimensions() = default;
    Dimensions(std::int64_t square)  // NOLINT(google-explicit-constructor): a square problem is its dimension
        : m{square}, n{square}, k{square} {}
    Dimensions(std::int64_t rows, std::int64_t columns, std::int64_t inner) : m{rows}, n{columns}, k{inner} {}
    friend bool operator==(Dimensions const&, Dimensions const&) = default;
};
/// "64x128x32": m, n, k.
[[nodiscard]] std::string text(Dimensions const& dimensions);

/// The last operand is the one that is written; matrices come before vectors.
struct Routine {
    std::string_view name;  ///< without the letter of the precision: "gemm"
    Kind kind;
    std::string_view title;       ///< "GEMM"
    std::string_view operation;   ///< one line
    std::string_view references;  ///< the count as a formula
    std::string_view flops;
    int matrices;
    int vectors;
    bool has_shape = false;   ///< problems are given by m, n and k, not by n alone
    bool overwrites = false;  ///< beta is 0
    [[nodiscard]] int operands() const noexcept { return matrices + vectors; }
    [[nodiscard]] bool solves() const noexcept { return kind == Kind::trsv || kind == Kind::trsm; }
    [[nodiscard]] bool has_alpha() const noexcept { return kind != Kind::trsv; }
    [[nodiscard]] bool has_beta() const noexcept { return kind != Kind::axpy && !solves(); }
};
[[nodiscard]] std::span<Routine const> routines() noexcept;                  ///< with square problems
[[nodiscard]] Routine const& shaped_gemm() noexcept;                         ///< GEMM with m, n and k
[[nodiscard]] Routine const& routine(std::string_view name);                 ///< \throws std::out_of_range
[[nodiscard]] Routine const& without_beta(Routine const& routine) noexcept;  ///< the same with beta = 0
[[nodiscard]] std::vector<std::string> routine_names();

/// The factors of a product and of the operand that it is added to.
struct Scalars {
    double alpha = 1;
    double beta = 1;
};

enum class Precision { real64, real32 };
[[nodiscard]] Bytes width(Precision precision) noexcept;            ///< of an element: 8 or 4
[[nodiscard]] std::string_view name(Precision precision) noexcept;  ///< "double", "float"
/// As BLAS and the records call it: "dgemm", "sgemm".
[[nodiscard]] std::string full_name(Routine const& routine, Precision precision);

/// Work of one call, as the original counts: the multiplications by alpha and beta also where these are 1. Numbers of
/// doubles, because they outgrow 64 bits before memory does.
struct Counts {
    double references = 0;  ///< every operand of every multiply-add is one
    double flops = 0;
};
[[nodiscard]] Counts counts(Routine const& routine, Dimensions const& dimensions) noexcept;

/// Elements of each operand. Numbers of doubles, as `Counts`.
[[nodiscard]] std::vector<double> elements(Routine const& routine, Dimensions const& dimensions);
/// Bytes of all operands together. A number of doubles, because what is asked for may outgrow 64 bits.
[[nodiscard]] double bytes_needed(Routine const& routine, Precision precision, Dimensions const& dimensions);
/// The same of what fits.
[[nodiscard]] Bytes bytes_used(Routine const& routine, Precision precision, Dimensions const& dimensions);
/// The largest n whose operands fit into so many bytes; 0: none does.
[[nodiscard]] std::int64_t dimension(Routine const& routine, Precision precision, Bytes limit);

}  // namespace blasbench
