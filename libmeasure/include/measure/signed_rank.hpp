// SPDX-License-Identifier: BSD-3-Clause
/// Signed rank: whether differences of pairs are above zero, without assuming a distribution. Pure, local. Arguments
/// outside the range given throw UsageError; values are finite.
#pragma once

#include <cstddef>
#include <span>

#pragma GCC visibility push(default)
namespace measure {

/// Result of `signed_rank_above`.
struct SignedRankTest {
    double w = 0;          ///< sum of the ranks of the positive differences
    std::size_t used = 0;  ///< differences that are not zero
    double p = 1;          ///< one-sided: how likely differences symmetric about zero have a sum so large
    bool exact = true;     ///< from the distribution of the sum; otherwise from the normal one
};

/// Wilcoxon's signed rank test (1945) of differences that lie above zero, against those symmetric about it.
///
/// The differences are ranked by size; equal sizes share their mean rank; zeros say nothing and are left out. Up to 200
/// differences the distribution of the sum over all signs is counted, with those ranks (Streitberg and Roehmel 1986).
/// Beyond, z = (w - mean - 1/2) / sigma is normal, with mean = n (n + 1) / 4 and sigma^2 = sum(rank^2) / 4. p = 1
/// without a difference. \param ds  in any order
[[nodiscard]] SignedRankTest signed_rank_above(std::span<double const> ds);

/// The smallest p of that test: 2^-n, where all n differences are positive. n >= 0
[[nodiscard]] double smallest_signed_rank_p(std::size_t n) noexcept;

}  // namespace measure
#pragma GCC visibility pop
