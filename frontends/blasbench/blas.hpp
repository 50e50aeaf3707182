// SPDX-License-Identifier: BSD-3-Clause
/// Blas: the routines of one BLAS library, called through the Fortran interface with 32-bit integers.
#pragma once

#include "blasbench/catalogue.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace blasbench {

/// Fortran passes all arguments by address. The lengths of the character arguments follow as hidden arguments.
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

/// An opened library.
struct Blas {
    std::string name{};     ///< as given to --blas
    std::string product{};  ///< product name: "OpenBLAS", "BLIS", "MKL", "reference/unknown", "built-in loops"
    std::string version{};  ///< "0.3.21", or "unknown"
    std::string kernels{};  ///< processor that the selected code is for, if the library reports it: "Haswell"
    std::string file{};     ///< file of the code, with links resolved; "none" for the built-in loops
    Functions<double> real64{};
    Functions<float> real32{};
    /// Sets the number of threads of the following calls and returns the number that the library uses. Empty if the
    /// library has no such function.
    std::function<int(int threads)> use_threads{};
};

/// Plain unblocked loops in C++, for machines without a BLAS. They support only the calls that the program makes: only
/// GEMM's matrices may be transposed, triangles are lower and not unit, and strides are 1.
[[nodiscard]] Blas builtin();

}  // namespace blasbench
