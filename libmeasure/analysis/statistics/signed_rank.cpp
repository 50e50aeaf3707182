// SPDX-License-Identifier: BSD-3-Clause
#include "measure/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

namespace measure {

namespace {

/// Up to this many differences, the exact distribution is computed, which takes some milliseconds.
constexpr std::size_t exact_differences = 200;

/// Twice the rank of each absolute difference. Doubling keeps mid-ranks of ties integer.
std::vector<std::size_t> twice_ranks(std::span<double const> ascending) {
    std::vector<std::size_t> ranks(ascending.size());
    for (std::size_t begin = 0, end = 0; begin < ascending.size(); begin = end) {
        while (end < ascending.size() && std::abs(ascending[end]) == std::abs(ascending[begin]))
            ++end;
        std::fill(ranks.begin() + static_cast<std::ptrdiff_t>(begin), ranks.begin() + static_cast<std::ptrdiff_t>(end),
                  begin + 1 + end);
    }
    return ranks;
}

/// Probability of a sum of at least `observed` if each rank counts with probability 1/2.
double exact_p(std::span<std::size_t const> ranks, std::size_t observed) {
    std::vector<double> chance(std::accumulate(ranks.begin(), ranks.end(), std::size_t{0}) + 1);
    chance[0] = 1;
    std::size_t reached = 0;
    for (std::size_t const rank : ranks) {
        reached += rank;
        for (std::size_t sum = reached; sum >= rank; --sum)
            chance[sum] = (chance[sum] + chance[sum - rank]) / 2;
        for (std::size_t sum = 0; sum < rank; ++sum)
            chance[sum] /= 2;
    }
    // Adds the smallest terms first.
    return std::min(1.0, std::accumulate(chance.rbegin(), chance.rend() - static_cast<std::ptrdiff_t>(observed), 0.0));
}

double normal_p(std::span<std::size_t const> ranks, double w) {
    double mean = 0;
    double variance = 0;
    for (std::size_t const twice : ranks) {
        double const rank = static_cast<double>(twice) / 2;
        mean += rank / 2;
        variance += rank * rank / 4;
    }
    return std::erfc((w - mean - 0.5) / std::sqrt(2 * variance)) / 2;
}

}  // namespace

SignedRankTest signed_rank_above(std::span<double const> ds) {
    std::vector<double> by_size;
    std::copy_if(ds.begin(), ds.end(), std::back_inserter(by_size), [](double d) { return d != 0; });
    SignedRankTest test{.used = by_size.size()};
    if (by_size.empty())
        return test;
    std::sort(by_size.begin(), by_size.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    auto const ranks = twice_ranks(by_size);
    std::size_t twice_w = 0;
    for (std::size_t i = 0; i < by_size.size(); ++i)
        twice_w += by_size[i] > 0 ? ranks[i] : 0;
    test.w = static_cast<double>(twice_w) / 2;
    test.exact = by_size.size() <= exact_differences;
    test.p = test.exact ? exact_p(ranks, twice_w) : normal_p(ranks, test.w);
    return test;
}

double smallest_signed_rank_p(std::size_t n) noexcept {
    return std::ldexp(1.0, -static_cast<int>(std::min<std::size_t>(n, 2000)));
}

}  // namespace measure
