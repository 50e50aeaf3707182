// SPDX-License-Identifier: BSD-3-Clause
/// Signed rank: tests whether differences of pairs are above zero, without assuming a distribution. Pure functions,
/// local. Arguments out of the stated range throw UsageError. Values must be finite.
#pragma once

#include <cstddef>
#include <span>

#pragma GCC visibility push(default)
namespace measure {

/// Result of `signed_rank_above`.
struct SignedRankTest {
    double w = 0;          ///< sum of the ranks of the positive differences
    std::size_t used = 0;  ///< number of differences that are not zero
    double p = 1;          ///< one-sided p-value for the hypothesis that differences are symmetric about zero
    bool exact = true;     ///< computed from the exact distribution of the sum; otherwise from the normal approximation
};

/// Wilcoxon's signed rank test (1945). Tests the hypothesis that the differences are symmetric about zero, against the
/// alternative that they are above zero.
///
/// The differences are ranked by their absolute value. Equal absolute values get their mean rank, and zeros are
/// ignored. Up to 200 differences, the distribution of the sum over all signs is counted with these ranks (Streitberg
/// and Roehmel 1986). Above 200, z = (w - mean - 1/2) / sigma is taken as normal, with mean = n (n + 1) / 4 and
/// sigma^2 = sum(rank^2) / 4. p = 1 without any differences. \param ds  in any order
[[nodiscard]] SignedRankTest signed_rank_above(std::span<double const> ds);

/// Smallest p-value of `signed_rank_above`: 2^-n, if all n differences are positive. \param n  >= 0
[[nodiscard]] double smallest_signed_rank_p(std::size_t n) noexcept;

}  // namespace measure
#pragma GCC visibility pop
