// SPDX-License-Identifier: BSD-3-Clause
/// Shuffle: random orders that are the same with every standard library, so that a seed means one order. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Uniform in [0, n), n >= 1: a draw of std::mt19937_64, whose sequence the standard fixes, modulo n. The last
/// 2^64 mod n of the 2^64 draws would favour small numbers; such a draw is dropped for the next one.
[[nodiscard]] inline std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t n) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t const last = most - (most % n + 1) % n;
    for (;;)
        if (std::uint64_t const x = random(); x <= last)
            return x % n;
}

/// Fisher and Yates from the end: each order is as likely as any other.
template <class T>
void shuffle(std::span<T> xs, std::mt19937_64& random) {
    for (std::size_t i = xs.size(); i > 1; --i)
        std::swap(xs[i - 1], xs[draw_below(random, i)]);
}

/// Random orders of the ranks 0 .. n-1, one after another from one seed: what the r-th is does not depend on how many
/// are drawn.
class RandomOrders {
public:
    /// \param n  ranks, >= 0  \param seed  of std::mt19937_64
    RandomOrders(int n, std::uint64_t seed) : n_{n}, random_{seed} {}
    /// \return [n] the rank at each place
    [[nodiscard]] std::vector<int> next() {
        std::vector<int> order(static_cast<std::size_t>(n_));
        std::iota(order.begin(), order.end(), 0);
        shuffle(std::span{order}, random_);
        return order;
    }

private:
    int n_;
    std::mt19937_64 random_;
};

}  // namespace measure
#pragma GCC visibility pop
