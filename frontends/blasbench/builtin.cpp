// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/blas.hpp"

#include <measure/environment.hpp>

namespace blasbench {

namespace {

/// Element (row, column) of a column-major matrix.
template <class T>
T& at(T* a, int ld, int row, int column) {
    return a[row + static_cast<std::ptrdiff_t>(column) * ld];
}

template <class T>
void add(int from, int n, T factor, T const* x, T* y) {
    for (int i = from; i < n; ++i)
        y[i] += factor * x[i];
}

/// Does not read y if the factor is 0.
template <class T>
void scale(int from, int n, T factor, T* y) {
    for (int i = from; i < n; ++i)
        y[i] = factor == 0 ? T{0} : factor * y[i];
}

template <class T>
void axpy(int const* n, T const* alpha, T const* x, int const*, T* y, int const*) {
    add(0, *n, *alpha, x, y);
}

template <class T>
void gemv(char const*, int const* m, int const* n, T const* alpha, T const* a, int const* lda, T const* x, int const*,
          T const* beta, T* y, int const*, std::size_t) {
    scale(0, *m, *beta, y);
    for (int j = 0; j < *n; ++j)
        add(0, *m, *alpha * x[j], &at(a, *lda, 0, j), y);
}

template <class T>
void gemm(char const* transa, char const* transb, int const* m, int const* n, int const* k, T const* alpha, T const* a,
          int const* lda, T const* b, int const* ldb, T const* beta, T* c, int const* ldc, std::size_t, std::size_t) {
    bool const transposes_a = *transa == 'T';
    bool const transposes_b = *transb == 'T';
    auto const right = [&](int l, int j) { return transposes_b ? at(b, *ldb, j, l) : at(b, *ldb, l, j); };
    for (int j = 0; j < *n; ++j) {
        T* const column = &at(c, *ldc, 0, j);
        scale(0, *m, *beta, column);
        // Both cases traverse A column by column.
        for (int l = 0; l < *k && !transposes_a; ++l)
            add(0, *m, *alpha * right(l, j), &at(a, *lda, 0, l), column);
        for (int i = 0; i < *m && transposes_a; ++i) {
            T sum = 0;
            for (int l = 0; l < *k; ++l)
                sum += at(a, *lda, l, i) * right(l, j);
            column[i] += *alpha * sum;
        }
    }
}

/// Forward substitution of one right-hand side.
template <class T>
void solve(int n, T const* a, int ld, T* x) {
    for (int j = 0; j < n; ++j) {
        x[j] /= at(a, ld, j, j);
        add(j + 1, n, -x[j], &at(a, ld, 0, j), x);
    }
}

template <class T>
void trsv(char const*, char const*, char const*, int const* n, T const* a, int const* lda, T* x, int const*,
          std::size_t, std::size_t, std::size_t) {
    solve(*n, a, *lda, x);
}

template <class T>
void trsm(char const*, char const*, char const*, char const*, int const* m, int const* n, T const* alpha, T const* a,
          int const* lda, T* b, int const* ldb, std::size_t, std::size_t, std::size_t, std::size_t) {
    for (int j = 0; j < *n; ++j) {
        scale(0, *m, *alpha, &at(b, *ldb, 0, j));
        solve(*m, a, *lda, &at(b, *ldb, 0, j));
    }
}

template <class T>
void syr2k(char const*, char const*, int const* n, int const* k, T const* alpha, T const* a, int const* lda, T const* b,
           int const* ldb, T const* beta, T* c, int const* ldc, std::size_t, std::size_t) {
    for (int j = 0; j < *n; ++j) {
        T* const column = &at(c, *ldc, 0, j);
        scale(j, *n, *beta, column);
        for (int l = 0; l < *k; ++l) {
            add(j, *n, *alpha * at(b, *ldb, j, l), &at(a, *lda, 0, l), column);
            add(j, *n, *alpha * at(a, *lda, j, l), &at(b, *ldb, 0, l), column);
        }
    }
}

template <class T>
constexpr Functions<T> loops{axpy<T>, gemv<T>, gemm<T>, trsv<T>, trsm<T>, syr2k<T>};

}  // namespace

Blas builtin() {
    return {.name = "builtin",
            .product = "built-in loops",
            .version = measure::version(),
            .file = "none",
            .real64 = loops<double>,
            .real32 = loops<float>};
}

}  // namespace blasbench
