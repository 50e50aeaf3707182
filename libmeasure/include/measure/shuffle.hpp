// SPDX-License-Identifier: BSD-3-Clause
/// Shuffle: random orders that are the same with every standard library, so that a seed means one order. Local.
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

/// Uniform in [0, n), n >= 1: a draw of std::mt19937_64, whose sequence the standard fixes, modulo n. The last
/// 2^64 mod n of the 2^64 draws would favour small numbers; such a draw is dropped for the next one.
/// \param random  a std::mt19937_64, or another generator of 64 random bits
template <class Random>
[[nodiscard]] std::uint64_t draw_below(Random& random, std::uint64_t n) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    static_assert(Random::min() == 0 && Random::max() == most);
    std::uint64_t const last = most - (most % n + 1) % n;
    for (;;)
        if (std::uint64_t const x = random(); x <= last)
            return x % n;
}

/// Fisher and Yates from the end: each order is as likely as any other.
template <class T, class Random>
void shuffle(std::span<T> xs, Random& random) {
    for (std::size_t i = xs.size(); i > 1; --i)
        std::swap(xs[i - 1], xs[draw_below(random, i)]);
}

/// Random orders of the ranks 0 .. n-1, one after another from one seed: what the r-th is does not depend on how many
/// are drawn.
class RandomOrders {
public:
    /// \param n  ranks, >= 0  \param seed  of std::mt19937_64
    RandomOrders(int n, std::uint64_t seed);
    /// \{
    /// Copies draw the same orders from there on; what is moved from is only to be destroyed or assigned to.
    RandomOrders(RandomOrders const&);
    RandomOrders(RandomOrders&&) noexcept;
    RandomOrders& operator=(RandomOrders const&);
    RandomOrders& operator=(RandomOrders&&) noexcept;
    ~RandomOrders();
    /// \}
    /// \return [n] the rank at each place
    [[nodiscard]] std::vector<int> next();

private:
    struct State;
    detail::Owned<State> state_;
};

}  // namespace measure
#pragma GCC visibility pop
