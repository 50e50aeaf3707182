// SPDX-License-Identifier: BSD-3-Clause
/// Blas: the routines of one BLAS library as they are called: by the Fortran interface with 32-bit integers.
#pragma once

#include "blasbench/catalogue.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace blasbench {

/// Fortran passes everything by address; the lengths of the character arguments follow as hidden ones.
template <class T>
struct Functions {
    using Axpy = void(int const* n, T const* alpha, T const* x, int const* incx, T* y, int const* incy);
    using Gemv = void(char const* trans, int const* m, int const* n, T const* alpha, T const* a, int const* lda,
                      T const* x, int const* incx, T const* beta, T* y, int const* incy, std::size_t);
    using Gemm = void(char const* transa, char const* transb, int const* m, int const* n, int const* k, T const* alpha,
                      T const* a, int const* lda, T const* b, int const* ldb, T const* beta, T* c, int const* ldc,
                      std::size_t, std::size_t);
    using Trsv = void(char const* uplo, char const* trans, char const* diag, int const* n, T const* a, int const* lda,
                      T* x, int const* incx, std::size_t, std::size_t, std::size_t);
    using Trsm = void(char const* side, char const* uplo, char const* transa, char const* diag, int const* m,
                      int const* n, T const* alpha, T const* a, int const* lda, T* b, int const* ldb, std::size_t,
                      std::size_t, std::size_t, std::size_t);
    using Syr2k = void(char const* uplo, char const* trans, int const* n, int const* k, T const* alpha, T const* a,
                       int const* lda, T const* b, int const* ldb, T const* beta, T* c, int const* ldc, std::size_t,
                       std::size_t);
    Axpy* axpy = nullptr;
    Gemv* gemv = nullptr;
    Gemm* gemm = nullptr;
    Trsv* trsv = nullptr;
    Trsm* trsm = nullptr;
    Syr2k* syr2k = nullptr;
};

/// A library whose routines can be called.
struct Blas {
    std::string name{};     ///< as --blas has it
    std::string product{};  ///< what it says it is: "OpenBLAS", "BLIS", "MKL", "reference/unknown", "built-in loops"
    std::string version{};  ///< "0.3.21"; "unknown"
    std::string kernels{};  ///< for which processor it has chosen its code, where it says so: "Haswell"
    std::string file{};     ///< where the code is, links resolved; "none" of the built-in loops
    Functions<double> real64{};
    Functions<float> real32{};
    /// Sets the number of threads of the calls that follow, and returns what the library makes of it; empty where it
    /// has no such function.
    std::function<int(int threads)> use_threads{};
};

/// Plain loops in C++, not blocked: for machines without any BLAS. Only GEMM's matrices may be transposed, triangles
/// are lower and not unit, strides are 1: what the program calls and nothing else.
[[nodiscard]] Blas builtin();

}  // namespace blasbench
