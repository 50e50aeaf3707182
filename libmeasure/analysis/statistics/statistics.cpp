// SPDX-License-Identifier: BSD-3-Clause
#include "measure/statistics.hpp"

#include "core/names.hpp"
#include "core/require.hpp"
#include "measure/error.hpp"

#include <boost/accumulators/accumulators.hpp>
#include <boost/accumulators/statistics/mean.hpp>
#include <boost/accumulators/statistics/stats.hpp>
#include <boost/accumulators/statistics/variance.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace measure {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double square(double x) { return x * x; }

double as_double(std::size_t n) { return static_cast<double>(n); }

struct Moments {
    double mean;
    double variance;  // divisor n
};

/// Samples are taken relative to the first one. A common offset (the epoch of a clock) then costs no digits, and equal
/// samples have a variance of exactly zero.
Moments moments(std::span<double const> xs) {
    namespace acc = boost::accumulators;
    if (xs.empty())
        return {not_a_number, not_a_number};
    acc::accumulator_set<double, acc::stats<acc::tag::immediate_mean, acc::tag::variance>> shifted;
    for (double const x : xs)
        shifted(x - xs.front());
    return {xs.front() + acc::mean(shifted), acc::variance(shifted)};
}

std::vector<double> sorted(std::span<double const> xs) {
    std::vector<double> result(xs.begin(), xs.end());
    std::sort(result.begin(), result.end());
    return result;
}

std::vector<double> winsorised(std::span<double const> xs, std::size_t cut) {
    auto result = sorted(xs);
    auto const low = result[cut];
    auto const high = result[result.size() - 1 - cut];
    for (double& x : result)
        x = std::clamp(x, low, high);
    return result;
}

/// Probability outside the interval on each side.
double tail_of(double confidence) {
    require(confidence > 0 && confidence < 1, "confidence: must be between 0 and 1");
    return (1 - confidence) / 2;
}

/// In the order of ErrorKind.
constexpr std::array<std::string_view, 3> error_kinds{"over_sqrt_n", "over_sqrt_kept", "winsorized"};

}  // namespace

double mean(std::span<double const> xs) { return moments(xs).mean; }

Line fit_line(std::span<double const> xs, std::span<double const> ys) {
    Line line{.x = mean(xs), .y = mean(ys)};
    double xx = 0;
    double xy = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
        double const x = xs[i] - line.x;
        xx += x * x;
        xy += x * (ys[i] - line.y);
    }
    line.slope = xx > 0 ? xy / xx : not_a_number;
    return line;
}

double standard_deviation(std::span<double const> xs) {
    auto const n = as_double(xs.size());
    return n < 2 ? not_a_number : std::sqrt(moments(xs).variance * n / (n - 1));
}

double standard_error(std::span<double const> xs) {
    auto const n = as_double(xs.size());
    return n < 2 ? not_a_number : std::sqrt(moments(xs).variance / (n - 1));
}

double standard_error_population(std::span<double const> xs) {
    return std::sqrt(moments(xs).variance / as_double(xs.size()));
}

double relative_standard_error(std::span<double const> xs) {
    if (xs.size() < 2)
        return not_a_number;
    auto const m = mean(xs);
    return m == 0 ? 0 : standard_error(xs) / std::abs(m);
}

double quantile(std::span<double const> xs, double p) {
    require(p >= 0 && p <= 1, "quantile: p must be in [0, 1]");
    if (xs.empty())
        return not_a_number;
    std::vector<double> parted(xs.begin(), xs.end());
    auto const position = p * as_double(xs.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const middle = parted.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(parted.begin(), middle, parted.end());
    double const next = below + 1 < xs.size() ? *std::min_element(middle + 1, parted.end()) : *middle;
    return *middle + (position - as_double(below)) * (next - *middle);
}

double median(std::span<double const> xs) { return quantile(xs, 0.5); }

double log_mean(std::span<double const> xs) {
    std::vector<double> logarithms;
    logarithms.reserve(xs.size());
    for (double const x : xs)
        logarithms.push_back(x > 0 ? std::log(x) : not_a_number);
    return std::exp(mean(logarithms));
}

double weighted_mean(std::span<double const> xs, std::span<double const> ws) {
    require(xs.size() == ws.size(), "weighted_mean: needs one weight per sample");
    auto const weights = std::accumulate(ws.begin(), ws.end(), 0.0);
    return weights == 0 ? not_a_number : std::inner_product(xs.begin(), xs.end(), ws.begin(), 0.0) / weights;
}

std::size_t trim_count(std::size_t n, double share) {
    constexpr double rounding_guard = 1e-9;
    require(share >= 0 && share <= 0.5, "trim: the share cut at each end must be in [0, 0.5]");
    return static_cast<std::size_t>(as_double(n) * share + rounding_guard);
}

std::vector<std::size_t> trimmed_indices(std::span<double const> xs, double share) {
    auto const cut = static_cast<std::ptrdiff_t>(trim_count(xs.size(), share));
    std::vector<std::size_t> order(xs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return xs[a] < xs[b]; });
    std::vector<std::size_t> kept(order.begin() + cut, order.end() - cut);
    std::sort(kept.begin(), kept.end());
    return kept;
}

std::vector<double> trimmed(std::span<double const> xs, double share) {
    auto const cut = static_cast<std::ptrdiff_t>(trim_count(xs.size(), share));
    auto const ordered = sorted(xs);
    return {ordered.begin() + cut, ordered.end() - cut};
}

ErrorKind error_kind_from(std::string_view text) {
    return static_cast<ErrorKind>(detail::index_of("kind of standard error", text, error_kinds));
}

std::string_view name(ErrorKind kind) noexcept { return error_kinds[static_cast<std::size_t>(kind)]; }

double trimmed_standard_error(std::span<double const> xs, double share, ErrorKind kind) {
    auto const cut = trim_count(xs.size(), share);
    auto const n = as_double(xs.size());
    auto const kept = n - 2 * as_double(cut);
    if (kept < 2)
        return not_a_number;
    if (kind == ErrorKind::winsorized)
        return standard_deviation(winsorised(xs, cut)) / (kept / n * std::sqrt(n));
    auto const of_kept = standard_deviation(trimmed(xs, share));
    return of_kept / std::sqrt(kind == ErrorKind::over_sqrt_n ? n : kept);
}

double student_quantile(double confidence, double degrees) {
    require(degrees > 0, "student_quantile: needs more than 0 degrees of freedom");
    return quantile(complement(boost::math::students_t{degrees}, tail_of(confidence)));
}

double student_tail(double t, double degrees) {
    require(degrees > 0, "student_tail: needs more than 0 degrees of freedom");
    return cdf(complement(boost::math::students_t{degrees}, t));
}

std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t n, double confidence) {
    constexpr std::size_t exact_up_to = 1000;
    auto const tail = tail_of(confidence);
    std::size_t low = 0;
    if (n <= exact_up_to) {
        boost::math::binomial const below_median{as_double(n), 0.5};
        while (low < n && cdf(below_median, as_double(low)) <= tail)
            ++low;
    } else {
        auto const z = quantile(complement(boost::math::normal{}, tail));
        low = static_cast<std::size_t>(std::max(0.0, (as_double(n) - z * std::sqrt(as_double(n))) / 2));
    }
    if (low == 0)
        return std::nullopt;
    return std::pair{low, n - low + 1};
}

std::optional<Interval> median_interval(std::span<double const> xs, double confidence) {
    auto const ranks = median_interval_ranks(xs.size(), confidence);
    if (!ranks)
        return std::nullopt;
    auto const ordered = sorted(xs);
    return Interval{ordered[ranks->first - 1], ordered[ranks->second - 1]};
}

std::optional<Interval> batched_median_interval(std::span<double const> xs, double confidence) {
    auto const of_all = median_interval(xs, confidence);
    if (xs.size() < 2 * interval_batches)
        return of_all;
    std::vector<double> medians;
    for (std::size_t batch = 0; batch < interval_batches; ++batch) {
        auto const begin = batch * xs.size() / interval_batches;
        auto const end = (batch + 1) * xs.size() / interval_batches;
        medians.push_back(median(xs.subspan(begin, end - begin)));
    }
    auto const of_batches = median_interval(medians, confidence);
    if (!of_all || !of_batches)
        return of_all;
    return Interval{std::min(of_all->first, of_batches->first), std::max(of_all->second, of_batches->second)};
}

std::optional<std::pair<std::size_t, std::size_t>> quantile_interval_ranks(std::size_t n, double q, double confidence) {
    auto const tail = tail_of(confidence);
    if (n == 0 || !(q > 0 && q < 1))
        return std::nullopt;
    boost::math::binomial const below{as_double(n), q};
    // Candidate ranks are within some standard deviations of the rank of the quantile.
    constexpr double far = 9;
    auto const first = as_double(n) * q - far * std::sqrt(as_double(n) * q * (1 - q)) - 1;
    auto k = static_cast<std::size_t>(std::max(0.0, first));
    while (k < n && cdf(below, as_double(k)) <= tail)
        ++k;
    auto const low = k;
    while (k < n && cdf(complement(below, as_double(k))) > tail)
        ++k;
    auto const high = k + 1;
    if (low == 0 || high > n)
        return std::nullopt;
    return std::pair{low, high};
}

std::optional<Interval> quantile_interval(std::span<double const> xs, double q, double confidence) {
    auto const ranks = quantile_interval_ranks(xs.size(), q, confidence);
    if (!ranks)
        return std::nullopt;
    auto const ordered = sorted(xs);
    return Interval{ordered[ranks->first - 1], ordered[ranks->second - 1]};
}

double skewness(std::span<double const> xs) {
    auto const s = standard_deviation(xs);
    if (xs.size() < 3 || !(s > 0))
        return 0;
    auto const m = mean(xs);
    double cubes = 0;
    for (double const x : xs)
        cubes += (x - m) / s * square((x - m) / s);
    auto const n = as_double(xs.size());
    return n / ((n - 1) * (n - 2)) * cubes;
}

double autocorrelation(std::span<double const> xs) {
    if (xs.size() < 3)
        return 0;
    auto const m = mean(xs);
    double products = 0;
    double squares = square(xs.front() - m);
    for (std::size_t i = 1; i < xs.size(); ++i) {
        products += (xs[i - 1] - m) * (xs[i] - m);
        squares += square(xs[i] - m);
    }
    return squares > 0 ? products / squares : 0;
}

bool is_autocorrelated(std::size_t n, double rho) noexcept { return std::abs(rho) > 2 / std::sqrt(as_double(n)); }

double effective_samples(std::size_t n, double rho) {
    auto const all = as_double(n);
    if (rho <= 0 || !is_autocorrelated(n, rho))
        return all;
    return std::max(1.0, all * (1 - rho) / (1 + rho));
}

}  // namespace measure
