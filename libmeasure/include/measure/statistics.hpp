// SPDX-License-Identifier: BSD-3-Clause
/// Statistics: pure functions of samples, and the Estimate computed from them. Everything here is local. Arguments out
/// of the stated range throw UsageError. Samples are not checked.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace measure {

/// Lower and upper end: [low, high].
using Interval = std::pair<double, double>;

/// Arithmetic mean. NaN for an empty span.
[[nodiscard]] double mean(std::span<double const> xs);
/// Standard deviation s with divisor n - 1. NaN for fewer than two samples.
[[nodiscard]] double standard_deviation(std::span<double const> xs);
/// Standard error s / sqrt(n) of the mean, s as in `standard_deviation`. NaN for fewer than two samples.
[[nodiscard]] double standard_error(std::span<double const> xs);
/// Standard error sigma / sqrt(n) of the mean, as in the SKaMPI paper. The standard deviation sigma has divisor n. NaN
/// for an empty span.
[[nodiscard]] double standard_error_population(std::span<double const> xs);
/// standard_error / |mean|. 0 if the mean is 0 (an empty operation and a coarse clock). NaN for fewer than two samples.
[[nodiscard]] double relative_standard_error(std::span<double const> xs);

/// Quantile with linear interpolation between order statistics (Hyndman & Fan type 7). NaN for an empty span.
/// \param p  in [0, 1]
[[nodiscard]] double quantile(std::span<double const> xs, double p);
/// Median: the middle sample, or the mean of the two middle samples. NaN for an empty span.
[[nodiscard]] double median(std::span<double const> xs);
/// Geometric mean, exp(mean(log x)). NaN for an empty span or if a sample is not > 0.
[[nodiscard]] double log_mean(std::span<double const> xs);
/// Weighted mean, sum(w x) / sum(w). NaN if the weights sum to 0. \param ws  [xs.size()]
[[nodiscard]] double weighted_mean(std::span<double const> xs, std::span<double const> ws);

/// A straight line through (x, y), the means of the points that it is fitted to.
struct Line {
    double x = 0;      ///< mean of the abscissas
    double y = 0;      ///< mean of the ordinates
    double slope = 0;  ///< change of y per unit of x
    /// Ordinate of the line at an abscissa.
    [[nodiscard]] double at(double where) const noexcept { return y + slope * (where - x); }
};
/// Fits a least-squares line. NaN for no points. The slope is NaN if all points have the same x.
/// \param ys  [xs.size()]
[[nodiscard]] Line fit_line(std::span<double const> xs, std::span<double const> ys);

/// Number of samples to cut at each end: floor(n * share + 1e-9), so that 0.29 * 100 is 29.
/// \param share  in [0, 0.5]
[[nodiscard]] std::size_t trim_count(std::size_t n, double share);
/// Indices, in ascending order, of the samples that remain when the `trim_count` smallest and the `trim_count` largest
/// samples are cut. Equal samples are cut in the order of their indices.
[[nodiscard]] std::vector<std::size_t> trimmed_indices(std::span<double const> xs, double share);
/// The samples that remain after trimming, sorted.
[[nodiscard]] std::vector<double> trimmed(std::span<double const> xs, double share);

/// Formula for the standard error of a trimmed mean (n samples, c cut at each end, m = n - 2c remain).
enum class ErrorKind {
    /// s of the remaining samples / sqrt(n), as in section 4 of the MPIPerf paper. Too small: s excludes the tails.
    over_sqrt_n,
    /// s of the remaining samples / sqrt(m), as in MPIPerf 0.0.3. Also too small.
    over_sqrt_kept,
    /// s of the n Winsorised samples / ((1 - 2c/n) sqrt(n)) (Tukey & McLaughlin 1963). Intervals reach their confidence
    /// level.
    winsorized,
};
/// Parses the name of an enumerator, in any letter case.
/// \throws UsageError for unknown names; the message lists the known ones
[[nodiscard]] ErrorKind error_kind_from(std::string_view name);
[[nodiscard]] std::string_view name(ErrorKind kind) noexcept;  ///< name of the enumerator

/// Standard error of the trimmed mean. NaN if fewer than two samples remain.
[[nodiscard]] double trimmed_standard_error(std::span<double const> xs, double share, ErrorKind kind);

/// Two-sided quantile of Student's t distribution: P(|t| <= result) = confidence.
/// \param confidence  in (0, 1)  \param degrees  degrees of freedom, > 0
[[nodiscard]] double student_quantile(double confidence, double degrees);
/// Upper tail of Student's t distribution: P(T > t). \param degrees  degrees of freedom, > 0
[[nodiscard]] double student_tail(double t, double degrees);

/// Ranks (1-based) of the order statistics that enclose the median with at least `confidence`: l and n - l + 1, for the
/// largest l with P(Bin(n, 1/2) <= l - 1) <= (1 - confidence) / 2. Exact up to n = 1000, normal approximation beyond.
/// Empty if n is too small (n < 6 at 95 %).
/// \param confidence  in (0, 1)
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t n,
                                                                                       double confidence);
/// Interval of the median: the order statistics at `median_interval_ranks`. Empty if there are too few samples.
[[nodiscard]] std::optional<Interval> median_interval(std::span<double const> xs, double confidence);

/// Number of groups of `batched_median_interval`. At 95 %, the interval of eight medians reaches from the smallest to
/// the largest median.
inline constexpr std::size_t interval_batches = 8;
/// Interval of the median for samples that depend on their predecessors. Reaches its confidence level if the dependence
/// (such as a state of the machine) does not last longer than a group of n / `interval_batches` samples.
///
/// The result is the smallest interval that contains two others: the `median_interval` of all samples, and that of the
/// groups' medians. With fewer than 2 * `interval_batches` samples, only the first counts. Source, with means: Law and
/// Kelton, Simulation Modeling and Analysis, section 9.5.3.
/// \param xs  in the order of measurement
[[nodiscard]] std::optional<Interval> batched_median_interval(std::span<double const> xs, double confidence);

/// Ranks (1-based) of the order statistics that enclose a quantile with at least `confidence`: the largest l with
/// P(Bin(n, q) <= l - 1) <= (1 - confidence) / 2, and the smallest u with P(Bin(n, q) >= u) <= (1 - confidence) / 2.
/// Empty if n is too small (n < 72 for q = 0.95 at 95 %).
/// \param q  in (0, 1)
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> quantile_interval_ranks(std::size_t n, double q,
                                                                                         double confidence);
/// Interval of a quantile: the order statistics at `quantile_interval_ranks`. Empty if there are too few samples.
[[nodiscard]] std::optional<Interval> quantile_interval(std::span<double const> xs, double q, double confidence);

/// Skewness of the samples: n / ((n - 1)(n - 2)) sum ((x - mean) / s)^3. 0 for a symmetric sample, positive for a tail
/// of long times. 0 for fewer than three samples or if all samples are equal.
[[nodiscard]] double skewness(std::span<double const> xs);

/// Lag-1 autocorrelation in the given order. 0 for fewer than three samples or if all samples are equal.
[[nodiscard]] double autocorrelation(std::span<double const> xs);
/// Whether |rho| > 2 / sqrt(n): more autocorrelation than independent samples show by chance (95 %).
[[nodiscard]] bool is_autocorrelated(std::size_t n, double rho) noexcept;
/// Number of independent samples that give the same precision as n autocorrelated samples. If
/// `is_autocorrelated(n, rho)`, it is n (1 - rho) / (1 + rho), limited to 1 .. n; otherwise n.
[[nodiscard]] double effective_samples(std::size_t n, double rho);

/// Quantiles in ascending order of their probability. Has the interface of a std::map, but uses one block of memory.
class Quantiles {
public:
    using value_type = std::pair<double, double>;       ///< probability and quantile
    Quantiles();                                        ///< creates an empty list
    Quantiles(std::initializer_list<value_type> list);  ///< quantiles listed in any order
    /// \{
    /// Copies, moves and destroys all entries.
    Quantiles(Quantiles const&);
    Quantiles(Quantiles&&) noexcept;
    Quantiles& operator=(Quantiles const&);
    Quantiles& operator=(Quantiles&&) noexcept;
    ~Quantiles();
    /// \}

    [[nodiscard]] bool empty() const noexcept;        ///< whether there are no quantiles
    [[nodiscard]] std::size_t size() const noexcept;  ///< number of quantiles
    void clear() noexcept;                            ///< removes all quantiles
    /// \{
    /// Iterators in ascending order of the probability.
    [[nodiscard]] value_type* begin() noexcept;
    [[nodiscard]] value_type* end() noexcept;
    [[nodiscard]] value_type const* begin() const noexcept;
    [[nodiscard]] value_type const* end() const noexcept;
    /// \}
    [[nodiscard]] value_type const* find(double probability) const noexcept;  ///< `end()` if it is missing
    [[nodiscard]] double at(double probability) const;     ///< \throws std::out_of_range if it is missing
    [[nodiscard]] double& operator[](double probability);  ///< inserts 0 if it is missing
    friend bool operator==(Quantiles const& a, Quantiles const& b) noexcept;  ///< whether both have the same pairs

private:
    std::vector<value_type> entries_;
};

/// A value with its error. All numbers have the unit of the samples (seconds for times), unless stated.
struct Estimate {
    double value = 0;                        ///< the headline value: trimmed mean, or mean over epochs
    std::optional<double> standard_error{};  ///< standard error of `value`; empty if fewer than two samples are kept
    double confidence = 0.95;                ///< confidence level of the intervals
    std::optional<Interval> interval{};      ///< value -/+ t * standard_error
    double median = 0;  ///< median; this and the following members use untrimmed samples, unless stated
    std::optional<Interval> median_interval{};  ///< non-parametric interval of the median
    double min = 0;                             ///< the smallest sample
    double max = 0;                             ///< the largest sample
    double clock_step = 0;                      ///< step of the clock divided by the iterations of a sample; 0: unknown
    std::optional<double> middle{};  ///< mean of the middle half; empty unless the median is below 100 clock steps
    Quantiles quantiles{};           ///< at probabilities 0.05, 0.25, 0.75, 0.95
    std::size_t samples = 0;         ///< number of valid samples (n_c in the MPIPerf paper)
    std::size_t kept = 0;            ///< number of samples that the mean is computed from (n_s)
    double kept_min = 0;             ///< smallest of the samples that the mean is computed from
    double kept_max = 0;             ///< largest of the samples that the mean is computed from
    std::optional<double> standard_error_over_sqrt_n{};     ///< standard deviation of the kept samples / sqrt(valid)
    std::optional<double> standard_error_over_sqrt_kept{};  ///< standard deviation of the kept samples / sqrt(kept)
    std::optional<double> standard_error_winsorized{};  ///< Winsorised standard error; the default of `standard_error`
    std::optional<double> relative_standard_error{};    ///< standard error of the mean of all valid samples / mean
    std::optional<double> relative_mad{};  ///< median absolute deviation of all valid samples, divided by their median
    double skewness = 0;  ///< skewness of all valid samples, dimensionless: 0 if symmetric, > 0 with a long upper tail
    double autocorrelation = 0;    ///< autocorrelation at lag 1 of all valid samples, in the order of measurement
    double effective_samples = 0;  ///< number of independent samples with the same precision, given `autocorrelation`
};

/// How to compute an Estimate.
struct EstimateRule {
    double trim = 0.25;                       ///< share to cut at each end, [0, 0.5]
    ErrorKind error = ErrorKind::winsorized;  ///< which standard error becomes `Estimate::standard_error`
    double confidence = 0.95;                 ///< confidence level of the intervals, in (0, 1)
    double clock_step = 0;                    ///< step of the clock divided by the iterations of a sample; 0: unknown
};

/// Computes an estimate from the valid samples, in the order of measurement. Empty for no samples.
///
/// - ErrorKind::winsorized: if the samples are autocorrelated, the standard error is multiplied by
///   sqrt(samples / effective_samples). The interval uses Student's t with kept * effective_samples / samples - 1
///   degrees of freedom, at least 1. The other kinds are as published.
/// - If trimming leaves no samples (share 0.5 of an even number), `kept` is 0 and there is no standard error. `value`,
///   `kept_min` and `kept_max` are then the median.
/// - If the clock's step is known, errors and intervals include it, see `with_clock_step`.
/// - For `middle`, equal readings are first distributed evenly over one step.
[[nodiscard]] std::optional<Estimate> estimate(std::span<double const> xs, EstimateRule const& rule = {});

/// Smallest possible standard error of a time: step / sqrt(12), as for a uniform distribution over one step.
[[nodiscard]] double least_error(double clock_step) noexcept;

/// Standard deviation of a normal distribution with these quartiles: 0.7413 times their distance. Empty if a quartile
/// is missing.
[[nodiscard]] std::optional<double> quartile_deviation(Quantiles const& quantiles);

/// Bound of the error that one time adds to a difference of two times because of the step of the clock: the larger of
/// step / 20 and step exp(-2 pi^2 s^2 / step^2), with s^2 = max(0, deviation^2 - step^2 / 12) (Widrow and Kollar 2008,
/// quantisation noise).
/// \param deviation  standard deviation of the readings of this time, >= 0
[[nodiscard]] double step_in_difference(double clock_step, double deviation) noexcept;

/// Widens an interval by the clock's step: the distance d of each end from the value becomes sqrt(d^2 + step^2).
/// Samples that begin at a tick of the clock may all have the same error of up to one step. Scatter does not show it.
/// \param value  the value that the interval belongs to
[[nodiscard]] Interval with_clock_step(Interval const& interval, double value, double clock_step) noexcept;
/// Includes the clock's step in an estimate whose errors come from scatter alone. No standard error is then below
/// `least_error`, both intervals are widened, and `Estimate::clock_step` is set.
/// \param clock_step  divided by the iterations of a sample; 0 leaves the estimate unchanged
[[nodiscard]] Estimate with_clock_step(Estimate estimate, double clock_step);

/// The interval of an estimate as reports show it. Empty if the interval reaches below zero but the value does not: for
/// times and rates, which are not negative, the samples are then too few or too skewed.
[[nodiscard]] std::optional<Interval> interval_to_show(Estimate const& estimate) noexcept;

/// Joins the estimates of several epochs. For one epoch, the result is that epoch's estimate. For E epochs:
/// - The value is the mean of the values. Its standard error is s / sqrt(E) with the standard deviation s of the
///   values, and t has E - 1 degrees of freedom.
/// - The median is the median of the medians (with an interval from E >= 6).
/// - Minimum and maximum are over all epochs. Counts and effective samples are sums.
/// - Quantiles, relative standard error and relative MAD are of all samples pooled.
/// - Skewness, autocorrelation and `middle` are means over the epochs.
/// - The three variants of the standard error come from the scatter within the epochs: sqrt(sum of squares) / E.
/// - The clock's step is the largest of all epochs, see `with_clock_step`.
///
/// \param epochs  the epochs that have an estimate, at least one  \param pooled  the valid samples of all epochs
[[nodiscard]] Estimate join_epochs(std::span<Estimate const> epochs, std::span<double const> pooled, double confidence);

}  // namespace measure
#pragma GCC visibility pop
