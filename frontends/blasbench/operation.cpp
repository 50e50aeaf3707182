// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace blasbench {

namespace {

/// Allowed rounding error per term of a sum, in units of the machine epsilon. A wrong element is off by about 1.
constexpr double tolerance_per_term = 16;

/// A copy of an operand in double precision, for the check.
class Matrix {
public:
    template <class T>
    Matrix(T const* from, Shape const& shape) : rows_{shape.rows} {
        for (std::int64_t j = 0; j < shape.columns; ++j)
            values_.insert(values_.end(), from + j * shape.leading, from + j * shape.leading + shape.rows);
    }
    [[nodiscard]] double& at(std::int64_t i, std::int64_t j) {
        return values_[static_cast<std::size_t>(j * rows_ + i)];
    }
    [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
        return values_[static_cast<std::size_t>(j * rows_ + i)];
    }
    [[nodiscard]] Matrix transposed() const {
        Matrix result = *this;
        result.rows_ = columns();
        for (std::int64_t i = 0; i < rows(); ++i)
            for (std::int64_t j = 0; j < columns(); ++j)
                result.at(j, i) = at(i, j);
        return result;
    }
    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t columns() const noexcept { return static_cast<std::int64_t>(values_.size()) / rows_; }

private:
    std::int64_t rows_;
    std::vector<double> values_;
};

/// C = alpha A B + beta C. Vectors are matrices with one column.
void multiply(Matrix const& a, Matrix const& b, Scalars const& scalars, Matrix& c) {
    for (std::int64_t i = 0; i < c.rows(); ++i)
        for (std::int64_t j = 0; j < c.columns(); ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < a.columns(); ++k)
                sum += a.at(i, k) * b.at(k, j);
            c.at(i, j) = scalars.alpha * sum + scalars.beta * c.at(i, j);
        }
}

/// The lower half of C = alpha (A B' + B A') + beta C.
void update(Matrix const& a, Matrix const& b, Scalars const& scalars, Matrix& c) {
    for (std::int64_t i = 0; i < c.rows(); ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < a.columns(); ++k)
                sum += a.at(i, k) * b.at(j, k) + b.at(i, k) * a.at(j, k);
            c.at(i, j) = scalars.alpha * sum + scalars.beta * c.at(i, j);
        }
}

/// X = alpha inverse(L) X, by forward substitution.
void substitute(Matrix const& l, double alpha, Matrix& x) {
    for (std::int64_t j = 0; j < x.columns(); ++j)
        for (std::int64_t i = 0; i < x.rows(); ++i) {
            x.at(i, j) *= alpha;
            for (std::int64_t k = 0; k < i; ++k)
                x.at(i, j) -= l.at(i, k) * x.at(k, j);
            x.at(i, j) /= l.at(i, i);
        }
}

/// The correct result of a call: the new last operand. \param transposed  see `Task`
Matrix expected(Kind kind, std::vector<Matrix> const& operands, std::string const& transposed, Scalars const& scalars) {
    Matrix result = operands.back();
    auto const factor = [&](std::size_t i) { return transposed[i] == 'T' ? operands[i].transposed() : operands[i]; };
    switch (kind) {
    case Kind::axpy:
        for (std::int64_t i = 0; i < result.rows(); ++i)
            result.at(i, 0) += scalars.alpha * operands[0].at(i, 0);
        break;
    case Kind::gemv:
    case Kind::gemm:
        multiply(factor(0), factor(1), scalars, result);
        break;
    case Kind::trsv:
        substitute(operands[0], 1, result);
        break;
    case Kind::trsm:
        substitute(operands[0], scalars.alpha, result);
        break;
    case Kind::syr2k:
        update(operands[0], operands[1], scalars, result);
        break;
    }
    return result;
}

/// Describes the first differing element.
/// \param scale  magnitude of the summed terms; their sum may be smaller
std::optional<std::string> difference(Matrix const& found, Matrix const& wanted, double tolerance, double scale = 1) {
    for (std::int64_t j = 0; j < wanted.columns(); ++j)
        for (std::int64_t i = 0; i < wanted.rows(); ++i) {
            double const right = wanted.at(i, j);
            // The negated condition also reports NaN.
            if (!(std::abs(found.at(i, j) - right) <= tolerance * std::max(scale, std::abs(right))))
                return fmt::format("element ({}, {}) is {:.9g}, not {:.9g}", i, j, found.at(i, j), right);
        }
    return std::nullopt;
}

/// Converts to the type of the BLAS interface. The options refuse larger values.
int integer(std::int64_t dimension) { return static_cast<int>(dimension); }

template <class T>
class OperationOf final : public Operation {
public:
    OperationOf(Task const& task, Functions<T> const& functions, Arena const& arena)
        : routine_{*task.routine}, call_{functions}, m_{integer(task.dimensions.m)}, n_{integer(task.dimensions.n)},
          k_{integer(task.dimensions.k)}, leading_{task.leading}, transposed_{task.transposed},
          alpha_{static_cast<T>(routine_.has_alpha() ? task.scalars.alpha : 1)}, beta_{static_cast<T>(
                                                                                     task.scalars.beta)} {
        for (int i = 0; i < routine_.operands(); ++i)
            operands_[static_cast<std::size_t>(i)] = static_cast<T*>(arena.operand(i));
        for (int i = 0; i < routine_.operands(); ++i)
            fill_operand(i);
    }

    void refill() override { fill_operand(last()); }
    void run(std::int64_t calls) override;
    [[nodiscard]] std::optional<std::string> defect(bool damage) override;

private:
    [[nodiscard]] int last() const { return routine_.operands() - 1; }
    [[nodiscard]] T* operand(int i) const { return operands_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] Shape shape(int i) const {
        if (i >= routine_.matrices)
            return {n_, 1, n_};
        std::array const rows{m_, k_, m_};
        std::array const columns{k_, n_, n_};
        auto const place = static_cast<std::size_t>(i);
        bool const is_transposed = i < 2 && transposed_[place] == 'T';
        auto const& [stored_rows, stored_columns] = is_transposed ? std::pair{columns, rows} : std::pair{rows, columns};
        return {stored_rows[place], stored_columns[place], leading_ > 0 ? leading_ : stored_rows[place]};
    }
    [[nodiscard]] Matrix copy(int i) const { return {operand(i), shape(i)}; }
    void fill_operand(int i) {
        if (i == 0 && routine_.solves())
            fill_triangle(operand(i), shape(i), 0);
        else
            fill(operand(i), shape(i), static_cast<std::uint64_t>(i));
    }

    Routine const& routine_;
    Functions<T> call_;
    int m_;
    int n_;
    int k_;
    std::int64_t leading_;
    std::string transposed_;
    T alpha_;
    T beta_;
    std::array<T*, 3> operands_{};
};

template <class T>
void OperationOf<T>::run(std::int64_t calls) {
    static constexpr int stride = 1;
    auto const [a, b, c] = operands_;
    auto const leading = [this](int i) { return integer(shape(i).leading); };
    int const lda = leading(0);
    int const ldb = leading(1);
    int const ldc = leading(2);
    auto const repeat = [calls](auto&& call) {
        for (std::int64_t i = 0; i < calls; ++i)
            call();
    };
    switch (routine_.kind) {
    case Kind::axpy:
        return repeat([&, x = a, y = b] { call_.axpy(&n_, &alpha_, x, &stride, y, &stride); });
    case Kind::gemv:
        return repeat([&, x = b, y = c, m = a] {
            call_.gemv("N", &n_, &n_, &alpha_, m, &lda, x, &stride, &beta_, y, &stride, 1);
        });
    case Kind::gemm:
        return repeat([&, x = a, y = b, z = c] {
            call_.gemm(&transposed_[0], &transposed_[1], &m_, &n_, &k_, &alpha_, x, &lda, y, &ldb, &beta_, z, &ldc, 1,
                       1);
        });
    case Kind::trsv:
        return repeat([&, l = a, x = b] { call_.trsv("L", "N", "N", &n_, l, &lda, x, &stride, 1, 1, 1); });
    case Kind::trsm:
        return repeat(
            [&, l = a, x = b] { call_.trsm("L", "L", "N", "N", &n_, &n_, &alpha_, l, &lda, x, &ldb, 1, 1, 1, 1); });
    case Kind::syr2k:
        return repeat([&, x = a, y = b, z = c] {
            call_.syr2k("L", "N", &n_, &n_, &alpha_, x, &lda, y, &ldb, &beta_, z, &ldc, 1, 1);
        });
    }
}

template <class T>
std::optional<std::string> OperationOf<T>::defect(bool damage) {
    refill();
    std::vector<Matrix> before;
    for (int i = 0; i < routine_.operands(); ++i)
        before.push_back(copy(i));
    Matrix const wanted = expected(routine_.kind, before, transposed_, {alpha_, beta_});
    run(1);
    T const scale = std::max(T{1}, std::abs(alpha_));
    if (damage)
        operand(last())[shape(last()).rows / 2] += scale;
    double const tolerance = tolerance_per_term * k_ * static_cast<double>(std::numeric_limits<T>::epsilon());
    auto wrong = difference(copy(last()), wanted, tolerance, static_cast<double>(scale));
    for (int i = 0; i < last() && !wrong; ++i)
        if (difference(copy(i), before[static_cast<std::size_t>(i)], 0))
            wrong = fmt::format("operand {} was changed", i + 1);
    return wrong;
}

}  // namespace

std::unique_ptr<Operation> make_operation(Task const& task, Arena const& arena) {
    if (task.precision == Precision::real64)
        return std::make_unique<OperationOf<double>>(task, task.blas->real64, arena);
    return std::make_unique<OperationOf<float>>(task, task.blas->real32, arena);
}

}  // namespace blasbench
