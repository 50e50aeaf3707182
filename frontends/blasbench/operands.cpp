// SPDX-License-Identifier: BSD-3-Clause
#include "blasbench/operands.hpp"

#include <numeric>
#include <vector>

namespace blasbench {

/// Linear congruential generator with Knuth's multiplier. Its upper bits are random enough for data.
class Values {
public:
    explicit Values(std::uint64_t seed) : state_{(seed + 1) * 0x9E3779B97F4A7C15U} {}
    double operator()() noexcept {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        // A float holds 24 bits, so both precisions get the same values.
        return static_cast<double>(static_cast<std::int64_t>(state_) >> 40) * 0x1p-23;
    }

private:
    std::uint64_t state_;
};

namespace {

constexpr double below_diagonal = 1e-8;

llcbench::Placement placed(Layout const& layout, Bytes width, std::span<double const> elements) {
    std::vector<Bytes> sizes;
    for (double const each : elements)
        sizes.push_back(static_cast<Bytes>(each) * width);
    return llcbench::place(layout, sizes);
}

template <class T, class Value>
void fill_with(T* to, Shape const& shape, Value value) {
    for (std::int64_t j = 0; j < shape.columns; ++j)
        for (std::int64_t i = 0; i < shape.rows; ++i)
            to[j * shape.leading + i] = static_cast<T>(value(i, j));
}

}  // namespace

double Arena::bytes(Layout const& layout, Precision precision, std::span<double const> elements) noexcept {
    return std::accumulate(elements.begin(), elements.end(), 0.0) * static_cast<double>(width(precision)) +
           static_cast<double>(elements.size()) * static_cast<double>(layout.offset + layout.pad + layout.align);
}

Arena::Arena(Layout const& layout, Precision precision, std::span<double const> elements)
    : placement_{placed(layout, width(precision), elements)}, memory_{layout.align, placement_.end} {}

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
