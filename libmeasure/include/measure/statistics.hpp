// SPDX-License-Identifier: BSD-3-Clause
/// Statistics: pure functions on spans of samples, and the Estimate made of them. Everything here is local. Arguments
/// outside the range given throw UsageError; samples are taken as they are.
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

/// [low, high]
using Interval = std::pair<double, double>;

/// Arithmetic mean. NaN for no sample.
[[nodiscard]] double mean(std::span<double const> xs);
/// s, divisor n - 1. NaN for fewer than two samples.
[[nodiscard]] double standard_deviation(std::span<double const> xs);
/// s / sqrt(n) with divisor n - 1. NaN for fewer than two samples.
[[nodiscard]] double standard_error(std::span<double const> xs);
/// sigma / sqrt(n) with divisor n: the SKaMPI paper's. NaN for no sample.
[[nodiscard]] double standard_error_population(std::span<double const> xs);
/// standard_error / |mean|; 0 where the mean is 0 (an empty operation seen by a coarse clock), NaN for n < 2.
[[nodiscard]] double relative_standard_error(std::span<double const> xs);

/// Quantile with linear interpolation between order statistics (Hyndman & Fan type 7). NaN for no sample.
/// \param p  in [0, 1]
[[nodiscard]] double quantile(std::span<double const> xs, double p);
/// The middle sample, or the mean of the two middle ones. NaN for no sample.
[[nodiscard]] double median(std::span<double const> xs);
/// exp(mean(log x)), the geometric mean. NaN for no sample and where a sample is not > 0.
[[nodiscard]] double log_mean(std::span<double const> xs);
/// sum(w x) / sum(w). NaN where the weights sum to 0. \param ws  [xs.size()]
[[nodiscard]] double weighted_mean(std::span<double const> xs, std::span<double const> ws);

/// A straight line through (x, y), the means of the points that it was fitted to.
struct Line {
    double x = 0;      ///< mean of the abscissas
    double y = 0;      ///< mean of the ordinates
    double slope = 0;  ///< change of y per x
    /// The line's ordinate at an abscissa.
    [[nodiscard]] double at(double where) const noexcept { return y + slope * (where - x); }
};
/// The least-squares line through some points. NaN for no point; the slope is NaN where all points have one x.
/// \param ys  [xs.size()]
[[nodiscard]] Line fit_line(std::span<double const> xs, std::span<double const> ys);

/// Number of samples cut at each end: floor(n * share), with a guard of 1e-9 against binary rounding (0.29 * 100).
/// \param share  in [0, 0.5]
[[nodiscard]] std::size_t trim_count(std::size_t n, double share);
/// Indices of the samples that remain when trim_count smallest and largest are cut, in ascending order of index. Ties
/// are cut by index, so the result is unique.
[[nodiscard]] std::vector<std::size_t> trimmed_indices(std::span<double const> xs, double share);
/// The remaining samples, sorted.
[[nodiscard]] std::vector<double> trimmed(std::span<double const> xs, double share);

/// How the standard error of a trimmed mean is made (n samples, c cut at each end, m = n - 2c remain).
enum class ErrorKind {
    over_sqrt_n,     ///< s of the remaining / sqrt(n): MPIPerf paper, section 4. Too small: s lacks the tails
    over_sqrt_kept,  ///< s of the remaining / sqrt(m): MPIPerf 0.0.3. Too small as well
    winsorized,      ///< s of the Winsorised n / ((1 - 2c/n) sqrt(n)): Tukey & McLaughlin 1963; covers what it claims
};
/// In any letter case.
/// \throws UsageError that lists the known names
[[nodiscard]] ErrorKind error_kind_from(std::string_view name);
[[nodiscard]] std::string_view name(ErrorKind kind) noexcept;  ///< as the enumerator reads

/// Standard error of the trimmed mean; NaN where it is undefined (fewer than two samples remain).
[[nodiscard]] double trimmed_standard_error(std::span<double const> xs, double share, ErrorKind kind);

/// Two-sided quantile of Student's distribution: P(|t| <= result) = confidence.
/// \param confidence  in (0, 1)  \param degrees  of freedom, > 0
[[nodiscard]] double student_quantile(double confidence, double degrees);
/// Upper tail of Student's distribution: P(T > t). \param degrees  of freedom, > 0
[[nodiscard]] double student_tail(double t, double degrees);

/// Ranks (1-based) of the order statistics whose interval covers the median with at least `confidence`: the largest l
/// with P(Bin(n, 1/2) <= l - 1) <= (1 - confidence) / 2, and n - l + 1. Exact up to n = 1000, normal beyond. Nothing
/// where n is too small (n < 6 at 95 %).
/// \param confidence  in (0, 1)
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t n,
                                                                                       double confidence);
/// The order statistics of those ranks.
[[nodiscard]] std::optional<Interval> median_interval(std::span<double const> xs, double confidence);

/// Of batches: few, so that they are long. At 95 % the interval of eight has all of them inside.
inline constexpr std::size_t interval_batches = 8;
/// The median's interval where values depend on those just before, as on a machine whose states last: the hull of
/// `median_interval` of all and, from 2 `interval_batches` values on, of that of the medians of so many successive
/// batches (batch means: Law and Kelton, Simulation Modeling and Analysis, section 9.5.3; with medians). It covers what
/// it says where a state lasts no longer than a batch. \param xs  in the order measured
[[nodiscard]] std::optional<Interval> batched_median_interval(std::span<double const> xs, double confidence);

/// The same for another quantile: the largest l with P(Bin(n, q) <= l - 1) <= (1 - confidence) / 2, and the smallest u
/// with P(Bin(n, q) >= u) <= (1 - confidence) / 2. Nothing where n is too small (n < 72 for q = 0.95 at 95 %).
/// \param q  in (0, 1)
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> quantile_interval_ranks(std::size_t n, double q,
                                                                                         double confidence);
/// The order statistics of those ranks.
[[nodiscard]] std::optional<Interval> quantile_interval(std::span<double const> xs, double q, double confidence);

/// How lopsided the samples are: n / ((n - 1)(n - 2)) sum ((x - mean) / s)^3. 0 for a symmetric sample, positive for a
/// tail of long times. 0 for fewer than three samples or no spread.
[[nodiscard]] double skewness(std::span<double const> xs);

/// Lag-1 autocorrelation in the order given; 0 for fewer than three samples or for no spread.
[[nodiscard]] double autocorrelation(std::span<double const> xs);
/// Whether |rho| > 2 / sqrt(n): more than independent samples show by chance (95 %).
[[nodiscard]] bool is_autocorrelated(std::size_t n, double rho) noexcept;
/// How many independent samples n autocorrelated ones are worth: n (1 - rho) / (1 + rho), at least 1 and at most n,
/// where is_autocorrelated(n, rho); otherwise n.
[[nodiscard]] double effective_samples(std::size_t n, double rho);

/// Quantiles by their probability, in ascending order: what a std::map has of it, in one block of memory.
class Quantiles {
public:
    using value_type = std::pair<double, double>;       ///< probability and quantile
    Quantiles();                                        ///< none
    Quantiles(std::initializer_list<value_type> list);  ///< as listed
    /// \{
    /// Whole values.
    Quantiles(Quantiles const&);
    Quantiles(Quantiles&&) noexcept;
    Quantiles& operator=(Quantiles const&);
    Quantiles& operator=(Quantiles&&) noexcept;
    ~Quantiles();
    /// \}

    [[nodiscard]] bool empty() const noexcept;        ///< there is none
    [[nodiscard]] std::size_t size() const noexcept;  ///< how many there are
    void clear() noexcept;                            ///< forgets all
    /// \{
    /// Range, ascending by probability.
    [[nodiscard]] value_type* begin() noexcept;
    [[nodiscard]] value_type* end() noexcept;
    [[nodiscard]] value_type const* begin() const noexcept;
    [[nodiscard]] value_type const* end() const noexcept;
    /// \}
    [[nodiscard]] value_type const* find(double probability) const noexcept;  ///< `end()` where there is none
    [[nodiscard]] double at(double probability) const;     ///< \throws std::out_of_range where there is none
    [[nodiscard]] double& operator[](double probability);  ///< added as 0 where it is missing
    friend bool operator==(Quantiles const& a, Quantiles const& b) noexcept;  ///< the same pairs

private:
    std::vector<value_type> entries_;
};

/// A value with its error. All numbers in the unit of the samples; seconds for times.
struct Estimate {
    double value = 0;                           ///< the headline: trimmed mean, or mean over epochs
    std::optional<double> standard_error{};     ///< of `value`; nothing where fewer than two samples are kept
    double confidence = 0.95;                   ///< of the intervals
    std::optional<Interval> interval{};         ///< value -/+ t * standard_error
    double median = 0;                          ///< of the untrimmed samples, as all that follows
    std::optional<Interval> median_interval{};  ///< non-parametric
    double min = 0;                             ///< the smallest sample
    double max = 0;                             ///< the largest sample
    double clock_step = 0;                      ///< step of the clock, per iteration; 0: not known
    std::optional<double>
        middle{};           ///< mean of the middle half, equal readings spread over a step; of medians below 100 steps
    Quantiles quantiles{};  ///< 0.05, 0.25, 0.75, 0.95
    std::size_t samples = 0;                                ///< valid samples, n_c
    std::size_t kept = 0;                                   ///< samples that the mean is made of, n_s
    double kept_min = 0;                                    ///< smallest of the samples that the mean is made of
    double kept_max = 0;                                    ///< largest of the samples that the mean is made of
    std::optional<double> standard_error_over_sqrt_n{};     ///< standard error: s of the kept samples / sqrt(valid)
    std::optional<double> standard_error_over_sqrt_kept{};  ///< the same: s of the kept samples / sqrt(kept)
    std::optional<double> standard_error_winsorized{};      ///< the same, Winsorised: leads unless asked otherwise
    std::optional<double> relative_standard_error{};        ///< standard error of the mean of all valid samples / mean
    std::optional<double> relative_mad{};  ///< median distance of all valid samples from their median / median
    double skewness = 0;                   ///< of all valid samples: 0 symmetric, positive for a tail of long times
    double autocorrelation = 0;            ///< lag 1, of all valid samples in the order taken
    double effective_samples = 0;  ///< how many independent samples the valid ones are worth, given `autocorrelation`
};

/// How an Estimate is made.
struct EstimateRule {
    double trim = 0.25;                       ///< share cut at each end, [0, 0.5]
    ErrorKind error = ErrorKind::winsorized;  ///< which standard error leads: `Estimate::standard_error`
    double confidence = 0.95;                 ///< in (0, 1)
    double clock_step = 0;                    ///< of the clock, per iteration; 0: not known
};

/// Estimate from the valid samples in the order in which they were taken. Nothing for no sample.
///
/// Where the Winsorised one leads, the leading standard error is that of the effective samples: it grows by
/// sqrt(samples / effective_samples), and t has kept effective_samples / samples - 1 degrees of freedom, at least 1.
/// The published kinds lead as published, so that reports that follow them compare.
/// Where trimming leaves nothing (share 0.5 of an even number), `kept` is 0 and `value`, `kept_min` and `kept_max` are
/// the median, which the trimmed mean tends to; there is no standard error.
/// Where the clock's step is known, errors and intervals hold it as `with_clock_step` says.
[[nodiscard]] std::optional<Estimate> estimate(std::span<double const> xs, EstimateRule const& rule = {});

/// The smallest standard error of a time: step / sqrt(12), the error of a reading that may be anywhere within a step.
[[nodiscard]] double least_error(double clock_step) noexcept;

/// The standard deviation of normal samples with these quartiles: 0.7413 times their distance. Nothing where a quartile
/// is missing.
[[nodiscard]] std::optional<double> quartile_deviation(Quantiles const& quantiles);

/// The largest part of a clock's step by which the difference of two such times is wrong, for each of the two. If
/// samples scatter over several steps, their middle follows the time: step exp(-2 pi^2 s^2 / step^2), s^2 = deviation^2
/// - step^2 / 12, at least a twentieth of a step (Widrow and Kollar 2008, quantisation noise). An offset that both
/// times have cancels out. \param deviation  of the uncorrected readings, >= 0
[[nodiscard]] double step_in_difference(double clock_step, double deviation) noexcept;

/// The interval with the clock's step in it: each end is sqrt(d^2 + step^2) from the value instead of d. Where starts
/// wait for a tick of the clock, all samples are wrong by the same part of a step, at most a whole one: that does not
/// show in their scatter. \param value  that the interval is of
[[nodiscard]] Interval with_clock_step(Interval const& interval, double value, double clock_step) noexcept;
/// The same of an estimate whose errors are the scatter's alone: no standard error is below `least_error`, and
/// both intervals hold the step. The estimate keeps the step. \param clock_step  of one iteration; 0 changes nothing
[[nodiscard]] Estimate with_clock_step(Estimate estimate, double clock_step);

/// The interval of an estimate as reports show it: nothing where it reaches below zero and the value does not. No time
/// and no rate is negative, so the samples are too few or too skewed for an interval.
[[nodiscard]] std::optional<Interval> interval_to_show(Estimate const& estimate) noexcept;

/// Joins the estimates of several epochs: value = mean of the values, standard error = their s / sqrt(E), t with E - 1
/// degrees of freedom; median = median of the medians (interval from E >= 6); min, max, counts over all; quantiles and
/// relative standard error of all samples pooled; skewness and autocorrelation = mean over the epochs, effective
/// samples = their sum. The three variants of the standard error are what the spreads within the epochs alone would
/// give the mean of the values: sqrt(sum of squares) / E. The clock's step is the largest of the epochs, and does not
/// average out: see `with_clock_step`. One epoch: that epoch's estimate.
/// \param epochs  the epochs that have an estimate, at least one  \param pooled  the valid samples of all epochs
[[nodiscard]] Estimate join_epochs(std::span<Estimate const> epochs, std::span<double const> pooled, double confidence);

}  // namespace measure
#pragma GCC visibility pop
