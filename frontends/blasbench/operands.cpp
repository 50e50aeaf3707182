// SPDX-License-Identifier: BSD-3-Clause
#include "operands.hpp"

#include <cstdlib>
#include <new>

namespace blasbench {

namespace {

constexpr double below_diagonal = 1e-8;

Bytes round_up(Bytes n, Bytes multiple) { return (n + multiple - 1) / multiple * multiple; }

/// Elements of an operand: matrices come first.
std::int64_t elements_of(Routine const& routine, int index, std::int64_t n) {
    return index < routine.matrices ? n * n : n;
}

/// Knuth's multiplier; the upper bits of such a sequence are good enough for data.
class Values {
public:
    explicit Values(std::uint64_t seed) : state_{(seed + 1) * 0x9E3779B97F4A7C15U} {}
    double operator()() noexcept {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        // 24 bits: as many as a float keeps, so that both precisions get the same values.
        return static_cast<double>(static_cast<std::int64_t>(state_) >> 40) * 0x1p-23;
    }

private:
    std::uint64_t state_;
};

template <class T, class Value>
void fill_with(T* to, Shape const& shape, Value value) {
    for (std::int64_t j = 0; j < shape.columns; ++j)
        for (std::int64_t i = 0; i < shape.rows; ++i)
            to[j * shape.leading + i] = static_cast<T>(value(i, j));
}

}  // namespace

void Arena::Free::operator()(std::byte* p) const noexcept { std::free(p); }

double Arena::bytes(Layout const& layout, Routine const& routine, Precision precision, std::int64_t n) noexcept {
    return elements(routine, n) * static_cast<double>(width(precision)) +
           routine.operands() * static_cast<double>(layout.offset + layout.pad + layout.align);
}

Arena::Arena(Layout const& layout, Routine const& routine, Precision precision, std::int64_t n) {
    std::array<Bytes, 3> begin{};
    Bytes end = 0;
    for (int i = 0; i < routine.operands(); ++i) {
        Bytes const start = round_up(i == 0 ? 0 : end + layout.pad, layout.align) + layout.offset;
        begin[static_cast<std::size_t>(i)] = start;
        end = start + elements_of(routine, i, n) * width(precision);
    }
    auto const align = static_cast<std::size_t>(layout.align);
    base_.reset(
        static_cast<std::byte*>(std::aligned_alloc(align, static_cast<std::size_t>(round_up(end, layout.align)))));
    if (!base_)
        throw std::bad_alloc();
    for (std::size_t i = 0; i < starts_.size(); ++i)
        starts_[i] = base_.get() + begin[i];
}

template <class T>
void fill(T* to, Shape const& shape, std::uint64_t seed) {
    fill_with(to, shape, [value = Values{seed}](std::int64_t, std::int64_t) mutable { return value(); });
}

template <class T>
void fill_triangle(T* to, Shape const& shape, std::uint64_t seed) {
    fill_with(to, shape, [value = Values{seed}](std::int64_t i, std::int64_t j) mutable {
        double const v = value();
        return i == j ? 1 : i > j ? below_diagonal * v : v;
    });
}

template void fill(float*, Shape const&, std::uint64_t);
template void fill(double*, Shape const&, std::uint64_t);
template void fill_triangle(float*, Shape const&, std::uint64_t);
template void fill_triangle(double*, Shape const&, std::uint64_t);

}  // namespace blasbench
