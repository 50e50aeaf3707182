// SPDX-License-Identifier: BSD-3-Clause
/// Two samples: tests whether and by how much two samples differ, without assuming a distribution. Pure functions,
/// local. Arguments out of the stated range throw UsageError. Samples must be finite.
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
    double u = 0;        ///< U: number of pairs with y > x; equal pairs count 1/2
    double p = 1;        ///< two-sided p-value for the hypothesis that both distributions are equal
    bool exact = false;  ///< computed from the exact distribution of U; otherwise from the normal approximation
};

/// The two-sided test of Mann and Whitney (1947), which is Wilcoxon's rank sum test.
///
/// xs has n values, ys has m. Equal values get their mean rank. Up to n m = 400, p is exact (Streitberg and Roehmel
/// 1986). Above 400, z is taken as normal, with N = n + m and the sum over all groups of t equal values:
///
///     z = (|U - n m / 2| - 1/2) / sigma,  sigma^2 = n m / 12 (N + 1 - sum(t^3 - t) / (N (N - 1)))
///
/// p = 1 if all values are equal. \param xs, ys  at least one value each
[[nodiscard]] RankTest mann_whitney_u(std::span<double const> xs, std::span<double const> ys);

/// Smallest p-value of `mann_whitney_u` for samples of n and m values without ties: 2 / C(n + m, n). \param n, m  >= 1
[[nodiscard]] double smallest_p(std::size_t n, std::size_t m);

/// Adjusts the p-values of several tests (Holm 1979). If each result is compared with the same significance level, the
/// probability of at least one false alarm is at most this level. The i-th smallest of k p-values becomes the maximum
/// over j <= i of (k - j + 1) p(j), at most 1. The result has the order of the input.
[[nodiscard]] std::vector<double> holm(std::span<double const> ps);

/// Parameters of a bootstrap.
struct Bootstrap {
    double confidence = 0.95;  ///< confidence level of the interval, in (0, 1)
    int resamples = 4000;      ///< number of resamples, at least 1
    std::uint64_t seed = 1;    ///< seed of the random numbers; equal seeds give equal intervals
};

/// The ratio of two values.
struct Ratio {
    double value = 0;                        ///< over / under
    std::optional<double> standard_error{};  ///< standard error of the ratio; empty if either value has none
    std::optional<Interval> interval{};      ///< interval of the ratio; empty if unknown
    double confidence = 0.95;                ///< confidence level of the interval
};

/// The inverse ratio. \param ratio  value and interval must be > 0
[[nodiscard]] Ratio inverse(Ratio const& ratio);

/// Includes the clock's steps of both values in a ratio. The step of the ratio is s = |value| sqrt(over^2 + under^2).
/// The standard error becomes at least `least_error(s)`, and the interval becomes `with_clock_step(interval, value, s)`
/// (see `<measure/statistics.hpp>`).
/// \param over, under  steps of the clock relative to the values; 0: unknown
[[nodiscard]] Ratio with_clock_step(Ratio ratio, double over, double under) noexcept;
/// Step of the clock relative to the mean; 0 if unknown.
[[nodiscard]] double relative_clock_step(Estimate const& estimate) noexcept;

/// Ratio of two operations that were measured in turn: the median of the ratios of pairs. Empty without a pair.
///
/// The interval is a percentile bootstrap, which resamples groups, and pairs within each group. Its quantiles are
/// Phi(-sqrt(n / (n - 1)) t), which corrects for small n (Hesterberg 2015). Here n is the number of groups, or of pairs
/// if there is only one group, and t is the quantile of Student's t distribution with n - 1 degrees of freedom. No
/// interval for fewer than two pairs. \param groups  [groups][pairs] ratios, > 0
[[nodiscard]] std::optional<Ratio> paired_ratio(std::vector<std::vector<double>> const& groups,
                                                Bootstrap const& bootstrap = {});

/// Interval of the ratio of ys to xs: the factors on xs for which `mann_whitney_u` finds no difference at the level
/// 1 - confidence (Hodges and Lehmann 1963). Single outliers have no influence, because the ends are two of the n m
/// ratios y / x, chosen by the distribution of U (exact up to n m = 400). Without ties, the interval contains 1 if and
/// only if the p-value of the test is not below 1 - confidence. Empty if the samples are too small: 4 and 4 values
/// reach a confidence of 97.14 %, 10 and 10 values 99.9989 %. \param xs, ys  > 0  \param confidence  in (0, 1)
[[nodiscard]] std::optional<Interval> ratio_interval(std::span<double const> xs, std::span<double const> ys,
                                                     double confidence = 0.95);

/// Values of both samples that were measured under the same conditions.
struct Stratum {
    std::vector<double> xs{};  ///< values of the first sample, in any order
    std::vector<double> ys{};  ///< values of the second sample, in any order
};

/// The test of van Elteren (1960). Values are compared only within strata. So differences between strata, and different
/// numbers of values in the strata, have no influence. With U and w = 1 / (n + m + 1) of each stratum, `u` is sum(w U),
/// and z is taken as normal:
///
///     z = |sum(w (U - n m / 2))| / sqrt(sum(w^2 sigma^2))
///
/// A stratum without values of both samples is ignored. p = 1 if no stratum remains. For a single stratum, the result
/// is `mann_whitney_u` of its values, and `u` is U.
[[nodiscard]] RankTest mann_whitney_u(std::span<Stratum const> strata);

/// Interval of the ratio of ys to xs within strata: `ratio_interval` for the test of van Elteren. Its ends are two of
/// the ratios y / x within strata, ordered and weighted with w. Empty if no stratum has enough values.
/// \param strata  values > 0
[[nodiscard]] std::optional<Interval> ratio_interval(std::span<Stratum const> strata, double confidence = 0.95);

/// Typical ratio of ys to xs within strata: the median of the ratios y / x (the upper one of two), weighted with w
/// (Hodges and Lehmann 1963). Empty if no stratum has values of both samples. \param strata  values > 0
[[nodiscard]] std::optional<double> typical_ratio(std::span<Stratum const> strata);

/// Scatter of the logarithms of values, as a standard deviation: Q_n of Rousseeuw and Croux (1993). It is 2.2219 times
/// the k-th smallest distance between two logarithms, k = C(h, 2), h = floor(n / 2) + 1, with the paper's factors for
/// small n. Up to half of the values may be outliers. 0 for equal values and for fewer than two. \param xs  > 0
[[nodiscard]] double log_scale(std::span<double const> xs);

/// Ratio (larger / smaller) that two values of one sample may have by chance. If the values are log-normal with the
/// `log_scale` of xs, a share of 1 - confidence of the pairs exceeds this ratio. Outliers have no influence. Empty for
/// fewer than two values. \param xs  > 0  \param confidence  in (0, 1)
[[nodiscard]] std::optional<double> noise_floor(std::span<double const> xs, double confidence = 0.95);

}  // namespace measure
#pragma GCC visibility pop
