// SPDX-License-Identifier: BSD-3-Clause
/// Shuffle: random orders that depend only on the seed, not on the standard library. Local.
#pragma once

#include "measure/callback.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Uniform random number in [0, n): a draw modulo n of std::mt19937_64, whose sequence the standard defines. The
/// largest 2^64 mod n of the 2^64 possible draws are skipped, because they would favour small numbers.
/// \param random  a std::mt19937_64, or another generator of 64 random bits
/// \param n       >= 1
template <class Random>
[[nodiscard]] std::uint64_t draw_below(Random& random, std::uint64_t n) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    static_assert(Random::min() == 0 && Random::max() == most);
    std::uint64_t const last = most - (most % n + 1) % n;
    for (;;)
        if (std::uint64_t const x = random(); x <= last)
            return x % n;
}

/// Shuffles in place by the algorithm of Fisher and Yates, from the end. All orders are equally likely.
template <class T, class Random>
void shuffle(std::span<T> xs, Random& random) {
    for (std::size_t i = xs.size(); i > 1; --i)
        std::swap(xs[i - 1], xs[draw_below(random, i)]);
}

/// Sequence of random orders of the ranks 0 .. n-1. The r-th order depends only on n and the seed, not on how many
/// orders are drawn.
class RandomOrders {
public:
    /// \param n     number of ranks, >= 0
    /// \param seed  seed of the std::mt19937_64
    RandomOrders(int n, std::uint64_t seed);
    /// \{
    /// A copy draws the same orders as its source afterwards. A moved-from object may only be destroyed or assigned to.
    RandomOrders(RandomOrders const&);
    RandomOrders(RandomOrders&&) noexcept;
    RandomOrders& operator=(RandomOrders const&);
    RandomOrders& operator=(RandomOrders&&) noexcept;
    ~RandomOrders();
    /// \}
    /// Draws the next order. \return [n] the rank at each place
    [[nodiscard]] std::vector<int> next();

private:
    struct State;
    detail::Owned<State> state_;
};

}  // namespace measure
#pragma GCC visibility pop
