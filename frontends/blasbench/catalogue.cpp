// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace blasbench {

namespace {

constexpr std::array<Routine, 6> table{{
    {"axpy", Kind::axpy, "AXPY", "y = alpha x + y", "3n", "2n", 0, 2},
    {"gemv", Kind::gemv, "GEMV", "y = alpha A x + beta y", "2n^2+2n", "2n^2+2n", 1, 2},
    {"gemm", Kind::gemm, "GEMM", "C = alpha A B + beta C", "2n^3+2n^2", "2n^3+2n^2", 3, 0},
    {"trsv", Kind::trsv, "TRSV", "x = inverse(L) x", "n^2+2n", "n^2", 1, 1},
    {"trsm", Kind::trsm, "TRSM", "B = alpha inverse(L) B", "n^3+2n^2", "n^3+n^2", 2, 0},
    {"syr2k", Kind::syr2k, "SYR2K", "C = alpha (A B' + B A') + beta C, lower half", "n(n+1)(2n+1)", "n(n+1)(2n+1)", 3,
     0},
}};

constexpr Routine of_shapes{"gemm", Kind::gemm, "GEMM", "C = alpha A B + beta C", "2mnk+2mn", "2mnk+2mn", 3, 0, true};

/// Variants with beta = 0: the last operand is only written, not read, scaled or added to.
constexpr std::array<Routine, 4> overwriting{{
    {"gemv", Kind::gemv, "GEMV", "y = alpha A x", "2n^2+n", "2n^2", 1, 2, false, true},
    {"gemm", Kind::gemm, "GEMM", "C = alpha A B", "2n^3+n^2", "2n^3", 3, 0, false, true},
    {"gemm", Kind::gemm, "GEMM", "C = alpha A B", "2mnk+mn", "2mnk", 3, 0, true, true},
    {"syr2k", Kind::syr2k, "SYR2K", "C = alpha (A B' + B A'), lower half", "n(n+1)(4n+1)/2", "2n^2(n+1)", 3, 0, false,
     true},
}};

}  // namespace

std::string text(Dimensions const& d) { return fmt::format("{}x{}x{}", d.m, d.n, d.k); }

std::span<Routine const> routines() noexcept { return table; }

Routine const& shaped_gemm() noexcept { return of_shapes; }

Routine const& routine(std::string_view name) {
    auto const found = std::find_if(table.begin(), table.end(), [&](Routine const& r) { return r.name == name; });
    if (found == table.end())
        throw std::out_of_range(fmt::format("no routine '{}'", name));
    return *found;
}

Routine const& without_beta(Routine const& routine) noexcept {
    auto const found = std::find_if(overwriting.begin(), overwriting.end(), [&](Routine const& each) {
        return each.kind == routine.kind && each.has_shape == routine.has_shape;
    });
    return found != overwriting.end() ? *found : routine;
}

std::vector<std::string> routine_names() {
    std::vector<std::string> names;
    for (Routine const& r : table)
        names.emplace_back(r.name);
    return names;
}

Bytes width(Precision precision) noexcept { return precision == Precision::real64 ? 8 : 4; }

std::string_view name(Precision precision) noexcept { return precision == Precision::real64 ? "double" : "float"; }

std::string full_name(Routine const& routine, Precision precision) {
    return fmt::format("{}{}", precision == Precision::real64 ? 'd' : 's', routine.name);
}

Counts counts(Routine const& routine, Dimensions const& dimensions) noexcept {
    auto const m = static_cast<double>(dimensions.m);
    auto const n = static_cast<double>(dimensions.n);
    auto const k = static_cast<double>(dimensions.k);
    // Each element of the result is read, scaled and added to, unless it is overwritten.
    double const reads = routine.overwrites ? 0 : 1;
    double const adds = routine.overwrites ? 0 : 2;
    switch (routine.kind) {
    case Kind::axpy:
        return {3 * n, 2 * n};
    case Kind::gemv:
        return {2 * n * n + (1 + reads) * n, 2 * n * n + adds * n};
    case Kind::gemm:
        return {2 * m * n * k + (1 + reads) * m * n, 2 * m * n * k + adds * m * n};
    case Kind::trsv:
        return {n * n + 2 * n, n * n};
    case Kind::trsm:
        return {n * n * n + 2 * n * n, n * n * n + n * n};
    case Kind::syr2k:
        break;
    }
    double const written = n * (n + 1) / 2;
    return {written * (4 * n + 1 + reads), written * (4 * n + adds)};
}

std::vector<double> elements(Routine const& routine, Dimensions const& dimensions) {
    auto const m = static_cast<double>(dimensions.m);
    auto const n = static_cast<double>(dimensions.n);
    auto const k = static_cast<double>(dimensions.k);
    std::vector<double> result{m * k, k * n, m * n};
    result.resize(static_cast<std::size_t>(routine.matrices));
    result.resize(static_cast<std::size_t>(routine.operands()), n);
    return result;
}

double bytes_needed(Routine const& routine, Precision precision, Dimensions const& dimensions) {
    auto const each = elements(routine, dimensions);
    return std::accumulate(each.begin(), each.end(), 0.0) * static_cast<double>(width(precision));
}

Bytes bytes_used(Routine const& routine, Precision precision, Dimensions const& dimensions) {
    return static_cast<Bytes>(bytes_needed(routine, precision, dimensions));
}

std::int64_t dimension(Routine const& routine, Precision precision, Bytes limit) {
    auto const room = static_cast<double>(limit);
    std::int64_t fits = 0;
    for (std::int64_t too_large = limit + 1; too_large - fits > 1;) {
        std::int64_t const middle = fits + (too_large - fits) / 2;
        (bytes_needed(routine, precision, middle) <= room ? fits : too_large) = middle;
    }
    return fits;
}

}  // namespace blasbench
