// SPDX-License-Identifier: BSD-3-Clause
#include "operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace blasbench {

namespace {

/// Rounding errors of the order of n are right; a wrong element is off by something like 1.
constexpr double tolerance_per_n = 16;

/// A square or one-column operand as the check sees it: a copy in double precision.
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
    [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t columns() const noexcept { return static_cast<std::int64_t>(values_.size()) / rows_; }

private:
    std::int64_t rows_;
    std::vector<double> values_;
};

/// C += A B; vectors are matrices of one column.
void multiply(Matrix const& a, Matrix const& b, Matrix& c) {
    for (std::int64_t i = 0; i < c.rows(); ++i)
        for (std::int64_t j = 0; j < c.columns(); ++j)
            for (std::int64_t k = 0; k < a.columns(); ++k)
                c.at(i, j) += a.at(i, k) * b.at(k, j);
}

/// The lower half of C += A B' + B A'.
void update(Matrix const& a, Matrix const& b, Matrix& c) {
    for (std::int64_t i = 0; i < c.rows(); ++i)
        for (std::int64_t j = 0; j <= i; ++j)
            for (std::int64_t k = 0; k < a.columns(); ++k)
                c.at(i, j) += a.at(i, k) * b.at(j, k) + b.at(i, k) * a.at(j, k);
}

/// X = inverse(L) X by rows.
void substitute(Matrix const& l, Matrix& x) {
    for (std::int64_t j = 0; j < x.columns(); ++j)
        for (std::int64_t i = 0; i < x.rows(); ++i) {
            for (std::int64_t k = 0; k < i; ++k)
                x.at(i, j) -= l.at(i, k) * x.at(k, j);
            x.at(i, j) /= l.at(i, i);
        }
}

/// What a call must make of the last operand.
Matrix expected(Kind kind, std::vector<Matrix> const& operands) {
    Matrix result = operands.back();
    switch (kind) {
    case Kind::axpy:
        for (std::int64_t i = 0; i < result.rows(); ++i)
            result.at(i, 0) += operands[0].at(i, 0);
        break;
    case Kind::gemv:
    case Kind::gemm:
        multiply(operands[0], operands[1], result);
        break;
    case Kind::trsv:
    case Kind::trsm:
        substitute(operands[0], result);
        break;
    case Kind::syr2k:
        update(operands[0], operands[1], result);
        break;
    }
    return result;
}

std::optional<std::string> difference(Matrix const& found, Matrix const& wanted, double tolerance) {
    for (std::int64_t j = 0; j < wanted.columns(); ++j)
        for (std::int64_t i = 0; i < wanted.rows(); ++i) {
            double const right = wanted.at(i, j);
            // Written so that a NaN is a difference.
            if (!(std::abs(found.at(i, j) - right) <= tolerance * std::max(1.0, std::abs(right))))
                return fmt::format("element ({}, {}) is {:.9g}, not {:.9g}", i, j, found.at(i, j), right);
        }
    return std::nullopt;
}

template <class T>
class OperationOf final : public Operation {
public:
    OperationOf(Task const& task, Functions<T> const& functions, Arena const& arena)
        : routine_{*task.routine}, call_{functions}, n_{static_cast<int>(task.n)}, ld_{static_cast<int>(task.leading)} {
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
    [[nodiscard]] Shape shape(int i) const { return i < routine_.matrices ? Shape{n_, n_, ld_} : Shape{n_, 1, n_}; }
    [[nodiscard]] Matrix copy(int i) const { return {operand(i), shape(i)}; }
    void fill_operand(int i) {
        if (i == 0 && routine_.solves())
            fill_triangle(operand(i), shape(i), 0);
        else
            fill(operand(i), shape(i), static_cast<std::uint64_t>(i));
    }

    Routine const& routine_;
    Functions<T> call_;
    int n_;
    int ld_;
    std::array<T*, 3> operands_{};
};

template <class T>
void OperationOf<T>::run(std::int64_t calls) {
    static constexpr T one = 1;
    static constexpr int stride = 1;
    auto const [a, b, c] = operands_;
    auto const repeat = [calls](auto&& call) {
        for (std::int64_t i = 0; i < calls; ++i)
            call();
    };
    switch (routine_.kind) {
    case Kind::axpy:
        return repeat([&, x = a, y = b] { call_.axpy(&n_, &one, x, &stride, y, &stride); });
    case Kind::gemv:
        return repeat(
            [&, x = b, y = c, m = a] { call_.gemv("N", &n_, &n_, &one, m, &ld_, x, &stride, &one, y, &stride, 1); });
    case Kind::gemm:
        return repeat([&, x = a, y = b, z = c] {
            call_.gemm("N", "N", &n_, &n_, &n_, &one, x, &ld_, y, &ld_, &one, z, &ld_, 1, 1);
        });
    case Kind::trsv:
        return repeat([&, l = a, x = b] { call_.trsv("L", "N", "N", &n_, l, &ld_, x, &stride, 1, 1, 1); });
    case Kind::trsm:
        return repeat(
            [&, l = a, x = b] { call_.trsm("L", "L", "N", "N", &n_, &n_, &one, l, &ld_, x, &ld_, 1, 1, 1, 1); });
    case Kind::syr2k:
        return repeat(
            [&, x = a, y = b, z = c] { call_.syr2k("L", "N", &n_, &n_, &one, x, &ld_, y, &ld_, &one, z, &ld_, 1, 1); });
    }
}

template <class T>
std::optional<std::string> OperationOf<T>::defect(bool damage) {
    refill();
    std::vector<Matrix> before;
    for (int i = 0; i < routine_.operands(); ++i)
        before.push_back(copy(i));
    Matrix const wanted = expected(routine_.kind, before);
    run(1);
    if (damage)
        operand(last())[n_ / 2] += 1;
    double const tolerance = tolerance_per_n * n_ * static_cast<double>(std::numeric_limits<T>::epsilon());
    auto wrong = difference(copy(last()), wanted, tolerance);
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
