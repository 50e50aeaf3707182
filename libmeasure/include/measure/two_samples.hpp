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

/// How many times as large one value is as another.
struct Ratio {
    double value = 0;                        ///< over / under
    std::optional<double> standard_error{};  ///< nothing where either value has none
    std::optional<Interval> interval{};      ///< of the ratio; nothing where it is not known
    double confidence = 0.95;                ///< of the interval
};

/// The ratio the other way round. \param ratio  of value and interval > 0
[[nodiscard]] Ratio inverse(Ratio const& ratio);

/// The ratio with the steps of the clock in both values: the standard error is at least `least_error` of both together,
/// and each end of the interval is sqrt(d^2 + step^2) from the value instead of d (see `with_clock_step` of an
/// interval). \param over, under  steps of the clock relative to the values; 0: not known
[[nodiscard]] Ratio with_clock_step(Ratio ratio, double over, double under) noexcept;
/// The clock's step relative to the mean; 0 where it is not known.
[[nodiscard]] double relative_clock_step(Estimate const& estimate) noexcept;

/// Ratio of two things that were measured in turn: the median of the ratios of pairs. The interval is the percentile
/// bootstrap over groups and over the pairs within each, with the quantiles of Hesterberg (2015), which make up for
/// small numbers: Phi(-sqrt(n / (n - 1)) t), n = the number of pairs, or of groups where there are several. Nothing
/// without a pair; no interval for fewer than two. \param groups  [epochs][pairs] ratios, > 0
[[nodiscard]] std::optional<Ratio> paired_ratio(std::vector<std::vector<double>> const& groups,
                                                Bootstrap const& bootstrap = {});

/// Interval of the ratio of ys to xs: the factors by which xs would have to be multiplied so that `mann_whitney_u`
/// finds no difference at 1 - confidence (Hodges and Lehmann 1963). Its ends are two of the n m ratios y / x, as far
/// from the smallest and the largest as the distribution of U says, exactly up to n m = 400, and they do not depend on
/// single values far away. Without ties it is around 1 exactly where the test's p is not below 1 - confidence. Nothing
/// where the samples are too small for that confidence: 4 and 4 values reach 97 %, 10 and 10 values 99.998 %. \param
/// xs, ys  > 0  \param confidence  in (0, 1)
[[nodiscard]] std::optional<Interval> ratio_interval(std::span<double const> xs, std::span<double const> ys,
                                                     double confidence = 0.95);

/// Values of both samples that were taken under the same circumstances.
struct Stratum {
    std::vector<double> xs{};  ///< of the first sample, in any order
    std::vector<double> ys{};  ///< of the second
};

/// The test of van Elteren (1960): values are compared within strata only, so that what strata differ by, and how many
/// values of either sample fell into each, has no part in it. With U of each stratum and w = 1 / (n + m + 1), z =
/// |sum(w (U - n m / 2))| / sqrt(sum(w^2 sigma^2)) is normal; `u` is sum(w U). A stratum without values of both samples
/// says nothing: p = 1 without any other. Of a single stratum it is `mann_whitney_u` of its values, and `u` is U.
[[nodiscard]] RankTest mann_whitney_u(std::span<Stratum const> strata);

/// Interval of the ratio of ys to xs within strata: `ratio_interval` for that test. Its ends are two of the ratios y /
/// x within strata, ordered and counted w each. Nothing where no stratum has enough. \param strata  values > 0
[[nodiscard]] std::optional<Interval> ratio_interval(std::span<Stratum const> strata, double confidence = 0.95);

/// By how much ys are larger than xs within strata: the middle one of the ratios y / x (the upper one of two), counted
/// w each (Hodges and Lehmann 1963). Nothing where no stratum has values of both. \param strata  values > 0
[[nodiscard]] std::optional<double> typical_ratio(std::span<Stratum const> strata);

/// How far the logarithms of values scatter, as a standard deviation: Q_n of Rousseeuw and Croux (1993), 2.2219 times
/// the k-th smallest distance of two of them, k = C(h, 2), h = floor(n / 2) + 1, with the paper's factors for small n.
/// Up to half of the values may be anywhere. 0 for values that are alike, and for fewer than two. \param xs  > 0
[[nodiscard]] double log_scale(std::span<double const> xs);

/// How far apart two values of one sample are by chance: the ratio, larger over smaller, that only a share of
/// 1 - confidence of pairs of log-normal values with that `log_scale` exceeds. Single values far away do not count.
/// Nothing for fewer than two values. \param xs  > 0  \param confidence  in (0, 1)
[[nodiscard]] std::optional<double> noise_floor(std::span<double const> xs, double confidence = 0.95);

}  // namespace measure
#pragma GCC visibility pop
