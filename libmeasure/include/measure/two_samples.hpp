// SPDX-License-Identifier: BSD-3-Clause
/// Two samples: whether and by how much they differ, without assuming a distribution. Pure, local. Arguments outside
/// the range given throw UsageError; samples are finite.
#pragma once

#include "measure/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Result of a rank test.
struct RankTest {
    double u = 0;        ///< number of pairs with y > x, equal ones counted half
    double p = 1;        ///< two-sided: how likely equal distributions put U at least as far from n m / 2
    bool exact = false;  ///< from the distribution of U; otherwise from the normal one
};

/// The two-sided test of Mann and Whitney (1947), which is Wilcoxon's rank sum test.
///
/// Up to n m = 400 the distribution of U over all ways to share out the pooled values is counted; equal values keep
/// their mean ranks (Streitberg and Roehmel 1986). Beyond, z = (|U - n m / 2| - 1/2) / sigma is normal, with sigma^2 =
/// n m / 12 (N + 1 - sum(t^3 - t) / (N (N - 1))), N = n + m, over the groups of t equal values. p = 1 where all values
/// are equal. \param xs, ys  at least one value each
[[nodiscard]] RankTest mann_whitney_u(std::span<double const> xs, std::span<double const> ys);

/// The smallest p of that test with samples of these sizes and without equal values: 2 / C(n + m, n). n, m >= 1
[[nodiscard]] double smallest_p(std::size_t n, std::size_t m);

/// The p-values of several tests, so adjusted that each may be compared with the level of all of them: the chance of a
/// single false alarm stays below it (Holm 1979). The i-th smallest of k becomes max over j <= i of (k - j + 1) p(j),
/// at most 1; the order is kept.
[[nodiscard]] std::vector<double> holm(std::span<double const> ps);

/// How the samples of a bootstrap are drawn.
struct Bootstrap {
    double confidence = 0.95;  ///< in (0, 1)
    int resamples = 4000;      ///< at least 1
    std::uint64_t seed = 1;    ///< the same seed gives the same interval
};

/// Interval of median(ys) / median(xs): the quantiles of that ratio over samples that are drawn with replacement from
/// xs and from ys (percentile bootstrap, Efron 1979). Of five values and more of each side it covers about 95 % where
/// it says so, of few less. The cost hardly depends on the number of values. Nothing for a sample of fewer than two.
/// \param xs, ys  > 0
[[nodiscard]] std::optional<Interval> ratio_of_medians_interval(std::span<double const> xs, std::span<double const> ys,
                                                                Bootstrap const& bootstrap = {});

/// How far apart two values of one sample are by chance: the ratio, larger over smaller, that only a share of
/// 1 - confidence of its pairs exceeds (of more than 1000 values: of some of them). Nothing for fewer than two values.
/// \param xs  > 0  \param confidence  in (0, 1)
[[nodiscard]] std::optional<double> noise_floor(std::span<double const> xs, double confidence = 0.95);

}  // namespace measure
#pragma GCC visibility pop
