// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/statistics.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace measure;

namespace {

using Samples = std::vector<double>;
using Ranks = std::pair<std::size_t, std::size_t>;
using Indices = std::vector<std::size_t>;

auto close_to(double x) { return Catch::Matchers::WithinRel(x, 1e-9); }
/// Matcher for values with a given number of printed digits.
auto within(double x, double tolerance) { return Catch::Matchers::WithinAbs(x, tolerance); }

Samples const eight{1, 2, 3, 4, 5, 6, 7, 20};

Samples ramp(int n) {
    Samples xs;
    for (int i = 1; i <= n; ++i)
        xs.push_back(i);
    return xs;
}

}  // namespace

TEST_CASE("mean, standard deviation and errors of four samples match values computed by hand", "[statistics]") {
    Samples const xs{1, 2, 3, 6};  // deviations -2 -1 0 3, the squares sum to 14
    CHECK_THAT(mean(xs), close_to(3));
    CHECK_THAT(standard_deviation(xs), close_to(std::sqrt(14. / 3)));
    CHECK_THAT(standard_error(xs), close_to(std::sqrt(14. / 12)));
    CHECK_THAT(standard_error_population(xs), close_to(std::sqrt(14. / 16)));
    CHECK_THAT(relative_standard_error(xs), close_to(std::sqrt(14. / 12) / 3));
}

TEST_CASE("statistics of too few samples are NaN", "[statistics]") {
    Samples const none;
    Samples const one{5};
    CHECK(std::isnan(mean(none)));
    CHECK(mean(one) == 5);
    CHECK(std::isnan(standard_deviation(none)));
    CHECK(std::isnan(standard_deviation(one)));
    CHECK(std::isnan(standard_error(one)));
    CHECK(std::isnan(standard_error_population(none)));
    CHECK(standard_error_population(one) == 0);
    CHECK(std::isnan(relative_standard_error(one)));
    CHECK(std::isnan(relative_standard_error(Samples{0})));
    CHECK(std::isnan(median(none)));
    CHECK(std::isnan(log_mean(none)));
    CHECK(std::isnan(weighted_mean(none, none)));
}

TEST_CASE("the relative standard error is 0 for a mean of 0 and positive for a negative mean", "[statistics]") {
    CHECK(relative_standard_error(Samples{0, 0, 0}) == 0);
    CHECK(relative_standard_error(Samples{-1, 1}) == 0);
    CHECK_THAT(relative_standard_error(Samples{-19, -21}), close_to(0.05));
}

TEST_CASE("a spread of 0.1 ns around 0.1 us keeps its digits", "[statistics]") {
    Samples xs;
    for (int i = 0; i < 1000; ++i)
        xs.push_back(i % 2 == 0 ? 1e-7 - 1e-10 : 1e-7 + 1e-10);
    CHECK_THAT(mean(xs), within(1e-7, 1e-20));
    CHECK_THAT(standard_deviation(xs), within(1e-10 * std::sqrt(1000. / 999), 1e-16));
}

TEST_CASE("a large offset does not affect the variance", "[statistics]") {
    for (double const offset : {0., 1e9, 1e12, -1e15}) {
        Samples const xs{offset + 4, offset + 7, offset + 13, offset + 16};  // variance 30
        CHECK(mean(xs) == offset + 10);
        CHECK_THAT(standard_deviation(xs), close_to(std::sqrt(30.)));
    }
}

TEST_CASE("equal samples have a spread of exactly 0", "[statistics]") {
    Samples const xs(7, 0.1);
    CHECK(mean(xs) == 0.1);
    CHECK(standard_deviation(xs) == 0);
    CHECK(autocorrelation(xs) == 0);
}

TEST_CASE("quantiles interpolate between order statistics", "[statistics]") {
    Samples const xs{40, 10, 30, 20};
    CHECK(quantile(xs, 0) == 10);
    CHECK_THAT(quantile(xs, 0.25), close_to(17.5));  // position 0.25 * 3 = 0.75
    CHECK_THAT(quantile(xs, 0.5), close_to(25));
    CHECK_THAT(quantile(xs, 0.95), close_to(38.5));
    CHECK(quantile(xs, 1) == 40);
    CHECK_THAT(median(xs), close_to(25));
    CHECK(median(Samples{3, 1, 2}) == 2);
    CHECK(median(Samples{7}) == 7);
    CHECK_THROWS_AS(quantile(xs, 1.01), UsageError);
    CHECK_THROWS_AS(quantile(xs, -0.01), UsageError);
    CHECK_THROWS_AS(quantile(xs, std::nan("")), UsageError);
}

TEST_CASE("the log mean is the geometric mean", "[statistics]") {
    CHECK_THAT(log_mean(Samples{1, 10, 100}), close_to(10));
    CHECK_THAT(log_mean(Samples{7}), close_to(7));
    CHECK(std::isnan(log_mean(Samples{1, 0})));
    CHECK(std::isnan(log_mean(Samples{-1, 2})));
}

TEST_CASE("a weighted mean counts each sample by its weight", "[statistics]") {
    CHECK_THAT(weighted_mean(Samples{1, 2, 6}, Samples{2, 1, 1}), close_to(2.5));
    CHECK(std::isnan(weighted_mean(Samples{1, 2}, Samples{0, 0})));
    CHECK_THROWS_AS(weighted_mean(Samples{1, 2}, Samples{1}), UsageError);
}

TEST_CASE("a quarter is trimmed at each end, rounded down", "[statistics]") {
    Indices const expected{0, 0, 0, 0, 1, 1, 1, 1, 2, 2};  // n = 0 .. 9
    for (std::size_t n = 0; n < expected.size(); ++n)
        CHECK(trim_count(n, 0.25) == expected[n]);
    CHECK(trim_count(30, 0.25) == 7);
    CHECK(trim_count(32, 0.25) == 8);
}

TEST_CASE("the number of trimmed samples is guarded against binary rounding", "[statistics]") {
    CHECK(trim_count(100, 0.29) == 29);  // 0.29 * 100 is 28.999999999999996
    CHECK(trim_count(100, 0) == 0);
}

TEST_CASE("trimming one half leaves the middle of an odd number of samples and nothing of an even one",
          "[statistics]") {
    CHECK(trim_count(4, 0.5) == 2);
    CHECK(trim_count(5, 0.5) == 2);
    CHECK(trimmed(Samples{4, 1, 3, 2}, 0.5).empty());
    CHECK(trimmed(Samples{4, 1, 3, 2, 5}, 0.5) == Samples{3});
    CHECK_THROWS_AS(trim_count(4, 0.51), UsageError);
    CHECK_THROWS_AS(trim_count(4, -0.01), UsageError);
}

TEST_CASE("trimming keeps the order of the samples and breaks ties by index", "[statistics]") {
    CHECK(trimmed_indices(Samples{9, 1, 5, 4}, 0.25) == Indices{2, 3});
    CHECK(trimmed_indices(Samples{2, 2, 2, 2}, 0.25) == Indices{1, 2});
    CHECK(trimmed_indices(Samples{1, 2, 3}, 0.25) == Indices{0, 1, 2});
    CHECK(trimmed_indices({}, 0.25).empty());
    CHECK(trimmed(Samples{9, 1, 5, 4}, 0.25) == Samples{4, 5});
}

TEST_CASE("the kept indices select the kept samples for any data", "[statistics]") {
    std::mt19937_64 random{1};
    for (std::size_t n = 0; n < 40; ++n) {
        Samples xs(n);
        for (double& x : xs)
            x = static_cast<double>(random() % 7);
        for (double const share : {0., 0.1, 0.25, 0.5}) {
            Samples kept;
            for (auto const i : trimmed_indices(xs, share))
                kept.push_back(xs[i]);
            std::sort(kept.begin(), kept.end());
            CHECK(kept == trimmed(xs, share));
            CHECK(kept.size() == n - 2 * trim_count(n, share));
        }
    }
}

TEST_CASE("kinds of standard error have names", "[statistics]") {
    for (auto const kind : {ErrorKind::over_sqrt_n, ErrorKind::over_sqrt_kept, ErrorKind::winsorized})
        CHECK(error_kind_from(name(kind)) == kind);
    CHECK(error_kind_from("Winsorized") == ErrorKind::winsorized);
    CHECK_THROWS_WITH(error_kind_from("winso"),
                      Catch::Matchers::ContainsSubstring("'winso'") &&
                          Catch::Matchers::ContainsSubstring("over_sqrt_n, over_sqrt_kept, winsorized"));
    CHECK_THROWS_AS(error_kind_from(""), UsageError);
}

TEST_CASE("the three standard errors of a trimmed mean match values computed by hand", "[statistics]") {
    // 3 4 5 6 remain: squared deviations sum to 5, s = sqrt(5/3).
    CHECK_THAT(trimmed_standard_error(eight, 0.25, ErrorKind::over_sqrt_n), close_to(std::sqrt(5. / 3 / 8)));
    CHECK_THAT(trimmed_standard_error(eight, 0.25, ErrorKind::over_sqrt_kept), close_to(std::sqrt(5. / 3 / 4)));
    // 3 3 3 4 5 6 6 6: squares sum to 14, s = sqrt 2, divided by (1 - 4/8) sqrt 8 = sqrt 2.
    CHECK_THAT(trimmed_standard_error(eight, 0.25, ErrorKind::winsorized), close_to(1));
}

TEST_CASE("without trimming the three standard errors are equal", "[statistics]") {
    for (auto const kind : {ErrorKind::over_sqrt_n, ErrorKind::over_sqrt_kept, ErrorKind::winsorized})
        CHECK_THAT(trimmed_standard_error(eight, 0, kind), close_to(standard_error(eight)));
}

TEST_CASE("a trimmed standard error needs two remaining samples", "[statistics]") {
    for (auto const kind : {ErrorKind::over_sqrt_n, ErrorKind::over_sqrt_kept, ErrorKind::winsorized}) {
        CHECK(std::isnan(trimmed_standard_error({}, 0.25, kind)));
        CHECK(std::isnan(trimmed_standard_error(Samples{1}, 0.25, kind)));
        CHECK(std::isnan(trimmed_standard_error(Samples{1, 2, 3}, 0.5, kind)));
        CHECK(std::isnan(trimmed_standard_error(Samples{1, 2, 3, 4}, 0.5, kind)));
        CHECK_FALSE(std::isnan(trimmed_standard_error(Samples{1, 2, 3, 4}, 0.25, kind)));
    }
}

TEST_CASE("the tail of Student's distribution matches its closed forms and its quantiles", "[statistics]") {
    CHECK_THAT(student_tail(1, 1), within(0.25, 1e-12));
    CHECK_THAT(student_tail(3, 2), within((1 - 3 / std::sqrt(11.)) / 2, 1e-12));
    CHECK_THAT(student_tail(-3, 2), within((1 + 3 / std::sqrt(11.)) / 2, 1e-12));
    CHECK_THAT(student_tail(student_quantile(0.95, 7.5), 7.5), within(0.025, 1e-12));
    CHECK_THROWS_AS(student_tail(1, 0), UsageError);
}

TEST_CASE("Student quantiles match the printed tables", "[statistics]") {
    CHECK_THAT(student_quantile(0.95, 1), within(12.706, 5e-4));
    CHECK_THAT(student_quantile(0.95, 2), within(4.303, 5e-4));
    CHECK_THAT(student_quantile(0.95, 7), within(2.365, 5e-4));
    CHECK_THAT(student_quantile(0.95, 9), within(2.262, 5e-4));
    CHECK_THAT(student_quantile(0.95, 15), within(2.131, 5e-4));
    CHECK_THAT(student_quantile(0.95, 29), within(2.045, 5e-4));
    CHECK_THAT(student_quantile(0.95, 99), within(1.984, 5e-4));
    CHECK_THAT(student_quantile(0.90, 9), within(1.833, 5e-4));
    CHECK_THAT(student_quantile(0.99, 9), within(3.250, 5e-4));
    CHECK_THROWS_AS(student_quantile(0.95, 0), UsageError);
    CHECK_THROWS_AS(student_quantile(0, 5), UsageError);
    CHECK_THROWS_AS(student_quantile(1, 5), UsageError);
}

TEST_CASE("the interval of the median has the known ranks at 95 %", "[statistics]") {
    for (std::size_t n = 0; n < 6; ++n)
        CHECK_FALSE(median_interval_ranks(n, 0.95));
    CHECK(median_interval_ranks(6, 0.95) == Ranks{1, 6});
    CHECK(median_interval_ranks(8, 0.95) == Ranks{1, 8});
    CHECK(median_interval_ranks(10, 0.95) == Ranks{2, 9});
    CHECK(median_interval_ranks(30, 0.95) == Ranks{10, 21});
    CHECK(median_interval_ranks(32, 0.95) == Ranks{10, 23});
    CHECK_THROWS_AS(median_interval_ranks(10, 1), UsageError);
}

TEST_CASE("the ranks of the median's interval are exact up to 1000 samples", "[statistics]") {
    for (double const confidence : {0.90, 0.95, 0.99})
        for (std::size_t n = 1; n <= 1000; n += n < 60 ? 1 : 47) {
            // Sum of binomial probabilities, computed one after another from 2^-n.
            double term = std::ldexp(1., -static_cast<int>(n));
            double below = term;
            std::size_t low = 0;
            while (below <= (1 - confidence) / 2) {
                ++low;
                term *= static_cast<double>(n - low + 1) / static_cast<double>(low);
                below += term;
            }
            auto const ranks = median_interval_ranks(n, confidence);
            CHECK(ranks.has_value() == (low > 0));
            if (ranks)
                CHECK(*ranks == Ranks{low, n + 1 - low});
        }
}

TEST_CASE("more than 1000 samples use the normal approximation", "[statistics]") {
    // (10000 - 1.95996 * 100) / 2 = 4902.002; the mirrored rank is 10000 - 4902 + 1.
    CHECK(median_interval_ranks(10000, 0.95) == Ranks{4902, 5099});
    CHECK(median_interval_ranks(1001, 0.95) == Ranks{469, 533});
}

TEST_CASE("the interval of a quantile consists of order statistics", "[statistics]") {
    // Bin(100, 0.9): P(<= 83) = 0.0206, P(<= 84) = 0.0399, P(>= 96) = 0.0237, P(>= 95) = 0.0576.
    CHECK(measure::quantile_interval_ranks(100, 0.9, 0.95) == Ranks{84, 96});
    CHECK(measure::quantile_interval_ranks(10, 0.5, 0.95) == measure::median_interval_ranks(10, 0.95));
    // 0.95^72 = 0.0249, 0.95^71 = 0.0262: from 72 samples on, the largest sample is the upper bound.
    CHECK_FALSE(measure::quantile_interval_ranks(71, 0.95, 0.95));
    CHECK(measure::quantile_interval_ranks(72, 0.95, 0.95)->second == 72);
    CHECK_FALSE(measure::quantile_interval_ranks(0, 0.5, 0.95));
    // Many samples: 1.96 standard deviations sqrt(n q (1 - q)) of the normal distribution.
    auto const many = measure::quantile_interval_ranks(100'000, 0.99, 0.95);
    CHECK(std::abs(static_cast<double>(many->first) - (99'000 - 1.96 * std::sqrt(990.0))) < 2);
    CHECK(std::abs(static_cast<double>(many->second) - (99'000 + 1.96 * std::sqrt(990.0))) < 2);
}

TEST_CASE("the interval of the median consists of order statistics", "[statistics]") {
    CHECK(median_interval(Samples{6, 5, 4, 3, 2, 1}, 0.95) == Interval{1, 6});
    CHECK(median_interval(ramp(10), 0.95) == Interval{2, 9});
    CHECK_FALSE(median_interval(ramp(5), 0.95));
}

TEST_CASE("values that resemble their predecessors widen the interval of the median", "[statistics]") {
    // Ranks 4 and 13 of sixteen; the medians of eight pairs are 1.5, 3.5 .. 15.5, and the interval covers all of them.
    CHECK(median_interval(ramp(16), 0.95) == Interval{4, 13});
    CHECK(batched_median_interval(ramp(16), 0.95) == Interval{1.5, 15.5});
    // At 68 %: ranks 6 and 11, and the third and sixth batch.
    CHECK(batched_median_interval(ramp(16), 0.68) == Interval{5.5, 11.5});
    // Too few samples for batches.
    CHECK(batched_median_interval(ramp(15), 0.95) == Interval{4, 12});
    CHECK_FALSE(batched_median_interval(ramp(5), 0.95));
    // The same values with small and large ones alternating: all pairs have the median 8.5, so order statistics are
    // wider.
    Samples alternating;
    for (double x = 1; x <= 8; ++x)
        alternating.insert(alternating.end(), {x, 17 - x});
    CHECK(batched_median_interval(alternating, 0.95) == Interval{4, 13});
    // Batches of two and three samples alternate: 1.5, 4, 6.5 .. 19.
    CHECK(batched_median_interval(ramp(20), 0.95) == Interval{1.5, 19});
    // A state that lasts for one of eight batches.
    Samples states(40, 1.0);
    std::fill_n(states.begin() + 10, 5, 2.0);
    CHECK(median_interval(states, 0.95) == Interval{1, 1});
    CHECK(batched_median_interval(states, 0.95) == Interval{1, 2});
}

TEST_CASE("the autocorrelation at lag 1 matches values computed by hand", "[statistics]") {
    CHECK_THAT(autocorrelation(Samples{1, 2, 3, 4}), close_to(0.25));     // (0.75 - 0.25 + 0.75) / 5
    CHECK_THAT(autocorrelation(Samples{1, -1, 1, -1}), close_to(-0.75));  // -3 / 4
    CHECK(autocorrelation(Samples{1, 2}) == 0);
    CHECK_THAT(autocorrelation(Samples{1e15 + 1, 1e15 + 2, 1e15 + 3, 1e15 + 4}), close_to(0.25));
}

TEST_CASE("the skewness matches values computed by hand", "[statistics]") {
    // Mean 4, s^2 = (9 + 4 + 4 + 49) / 4 = 16.5 for 1 2 2 11 4: sum of cubes -27 - 8 - 8 + 343 + 0 = 300, 5 / (4 * 3) *
    // 300 / 16.5^1.5 = 1.86502
    CHECK_THAT(skewness(Samples{1, 2, 2, 11, 4}), Catch::Matchers::WithinAbs(1.86502, 1e-5));
    CHECK_THAT(skewness(Samples{1, 2, 3, 4, 5}), Catch::Matchers::WithinAbs(0, 1e-12));
    CHECK(skewness(Samples{-1, -2, -2, -11, -4}) < 0);
    CHECK(skewness(Samples{7, 7, 7, 7}) == 0);
    CHECK(skewness(Samples{1, 2}) == 0);
}

TEST_CASE("significant positive autocorrelation reduces the number of effective samples", "[statistics]") {
    CHECK_THAT(effective_samples(30, 0.5), close_to(10));
    CHECK(effective_samples(100, 0.2) == 100);  // 2 / sqrt(100) is not exceeded
    CHECK_THAT(effective_samples(100, 0.21), close_to(100 * 0.79 / 1.21));
    CHECK(effective_samples(30, -0.5) == 30);
    CHECK(effective_samples(30, -1) == 30);
    CHECK(effective_samples(30, 1) == 1);
    CHECK(effective_samples(0, 0) == 0);
    CHECK(is_autocorrelated(100, -0.21));
    CHECK_FALSE(is_autocorrelated(100, -0.2));
}

TEST_CASE("intervals of correlated samples contain the true value", "[statistics][not_quick]") {
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal;
    for (double const rho : {0.0, 0.6, 0.9}) {
        int held = 0;
        for (int run = 0; run < 1000; ++run) {
            Samples xs{10 + normal(random)};
            for (int i = 1; i < 64; ++i)
                xs.push_back(10 + rho * (xs.back() - 10) + std::sqrt(1 - rho * rho) * normal(random));
            auto const interval = estimate(xs).value().interval.value();
            held += interval.first <= 10 && 10 <= interval.second ? 1 : 0;
        }
        CHECK(held >=
              900);  // 93 to 95 % of 1000; with the degrees of freedom of independent samples it would be 82 % at 0.9
    }
}

TEST_CASE("an estimate of eight samples matches values computed by hand", "[statistics]") {
    auto const e = estimate(eight).value();
    CHECK_THAT(e.value, close_to(4.5));
    CHECK(e.samples == 8);
    CHECK(e.kept == 4);
    CHECK(e.kept_min == 3);
    CHECK(e.kept_max == 6);
    CHECK_THAT(e.standard_error.value(), close_to(1));
    CHECK_THAT(e.standard_error_over_sqrt_n.value(), close_to(std::sqrt(5. / 24)));
    CHECK_THAT(e.standard_error_over_sqrt_kept.value(), close_to(std::sqrt(5. / 12)));
    CHECK_THAT(e.standard_error_winsorized.value(), close_to(1));
    CHECK(e.confidence == 0.95);
    CHECK_THAT(e.interval.value().first, within(4.5 - 3.18245, 1e-5));  // t with 3 degrees of freedom
    CHECK_THAT(e.interval.value().second, within(4.5 + 3.18245, 1e-5));
    CHECK_THAT(e.median, close_to(4.5));
    CHECK(e.median_interval == Interval{1, 20});
    CHECK(e.min == 1);
    CHECK(e.max == 20);
    REQUIRE(e.quantiles.size() == 4);
    CHECK_THAT(e.quantiles.at(0.05), close_to(1.35));
    CHECK_THAT(e.quantiles.at(0.25), close_to(2.75));
    CHECK_THAT(e.quantiles.at(0.75), close_to(6.25));
    CHECK_THAT(e.quantiles.at(0.95), close_to(15.45));
    CHECK_THAT(e.relative_standard_error.value(), close_to(1 / std::sqrt(8.)));  // s = 6, mean 6
    CHECK_THAT(e.relative_mad.value(), close_to(2 / 4.5));                       // 0.5 0.5 1.5 1.5 2.5 2.5 3.5 15.5
    CHECK_FALSE(estimate(Samples{-1, 0, 1}).value().relative_mad);
    CHECK_THAT(e.autocorrelation, close_to(54. / 252));
    CHECK(e.effective_samples == 8);
}

TEST_CASE("the rule selects the leading standard error and the confidence", "[statistics]") {
    auto const ref = estimate(eight, {.trim = 0.25, .error = ErrorKind::over_sqrt_kept, .confidence = 0.99}).value();
    CHECK(ref.standard_error == ref.standard_error_over_sqrt_kept);
    CHECK_THAT(ref.interval.value().second, within(4.5 + 5.84091 * std::sqrt(5. / 12), 1e-5));
    auto const seed = estimate(eight, {.trim = 0.25, .error = ErrorKind::over_sqrt_n}).value();
    CHECK(seed.standard_error == seed.standard_error_over_sqrt_n);
    CHECK_THROWS_AS(estimate(eight, {.confidence = 95}), UsageError);
    CHECK_THROWS_AS(estimate(eight, {.trim = 25}), UsageError);
}

TEST_CASE("a trimmed mean ignores outliers that shift the plain mean", "[statistics]") {
    Samples const xs{10.0, 10.2, 9.9, 10.1, 10.0, 30.0, 10.1, 9.9};
    CHECK_THAT(mean(xs), close_to(12.525));
    CHECK_THAT(estimate(xs).value().value, close_to(10.05));
    CHECK_THAT(estimate(xs, {.trim = 0}).value().value, close_to(12.525));
}

TEST_CASE("autocorrelated samples widen only the leading Winsorised error", "[statistics]") {
    // A ramp of 16: squared deviations sum to 340, products to 276.25, so rho = 0.8125 > 2 / sqrt(16).
    auto const xs = ramp(16);
    auto const plain = std::sqrt(340. / 15 / 16);
    auto const e = estimate(xs, {.trim = 0}).value();
    CHECK_THAT(e.autocorrelation, close_to(0.8125));
    CHECK_THAT(e.effective_samples, close_to(16 * 0.1875 / 1.8125));
    CHECK_THAT(e.standard_error.value(), close_to(plain * std::sqrt(1.8125 / 0.1875)));
    CHECK_THAT(e.standard_error_winsorized.value(), close_to(plain));
    // 1.7 effective samples: at least one degree of freedom.
    CHECK_THAT(e.interval.value().second - e.value, close_to(student_quantile(0.95, 1) * e.standard_error.value()));
    for (auto const kind : {ErrorKind::over_sqrt_n, ErrorKind::over_sqrt_kept}) {
        auto const published = estimate(xs, {.trim = 0, .error = kind}).value();
        CHECK_THAT(published.standard_error.value(), close_to(plain));
        CHECK_THAT(published.interval.value().second - published.value, close_to(student_quantile(0.95, 15) * plain));
    }
}

TEST_CASE("no samples give no estimate, and one sample gives no error", "[statistics]") {
    CHECK_FALSE(estimate({}));
    auto const e = estimate(Samples{3}).value();
    CHECK(e.value == 3);
    CHECK(e.kept == 1);
    CHECK_FALSE(e.standard_error);
    CHECK_FALSE(e.interval);
    CHECK_FALSE(e.median_interval);
    CHECK_FALSE(e.relative_standard_error);
    CHECK(e.quantiles.at(0.95) == 3);
    CHECK(e.effective_samples == 1);
}

TEST_CASE("one kept sample of three has a value but no error", "[statistics]") {
    auto const e = estimate(Samples{1, 9, 2}, {.trim = 0.5}).value();
    CHECK(e.value == 2);
    CHECK(e.kept == 1);
    CHECK_FALSE(e.standard_error);
    CHECK_FALSE(e.interval);
}

TEST_CASE("if trimming leaves nothing, the median is used", "[statistics]") {
    auto const e = estimate(Samples{4, 1, 3, 2}, {.trim = 0.5}).value();
    CHECK_THAT(e.value, close_to(2.5));
    CHECK(e.kept == 0);
    CHECK_THAT(e.kept_min, close_to(2.5));
    CHECK_THAT(e.kept_max, close_to(2.5));
    CHECK_FALSE(e.standard_error);
    CHECK_FALSE(e.interval);
}

TEST_CASE("epochs are joined by the mean of their values and Student's interval", "[statistics]") {
    std::vector<Samples> const epochs{{9, 10, 11}, {10, 11, 12}, {11, 12, 16}};
    std::vector<Estimate> estimates;
    Samples pooled;
    for (auto const& xs : epochs) {
        estimates.push_back(estimate(xs, {.trim = 0}).value());
        pooled.insert(pooled.end(), xs.begin(), xs.end());
    }
    auto const e = join_epochs(estimates, pooled, 0.95);
    // values 10 11 13: mean 34/3, s^2 = 7/3
    CHECK_THAT(e.value, close_to(34. / 3));
    CHECK_THAT(e.standard_error.value(), close_to(std::sqrt(7. / 9)));
    CHECK_THAT(e.interval.value().first, within(34. / 3 - 4.302653 * std::sqrt(7. / 9), 1e-6));
    CHECK_THAT(e.interval.value().second, within(34. / 3 + 4.302653 * std::sqrt(7. / 9), 1e-6));
    CHECK(e.median == 11);
    CHECK_FALSE(e.median_interval);
    CHECK(e.min == 9);
    CHECK(e.max == 16);
    CHECK(e.kept_min == 9);
    CHECK(e.kept_max == 16);
    CHECK(e.samples == 9);
    CHECK(e.kept == 9);
    CHECK(e.effective_samples == 9);
    CHECK(e.quantiles.at(0.25) == 10);
    CHECK_THAT(e.relative_standard_error.value(), close_to(relative_standard_error(pooled)));
    CHECK_THAT(e.relative_mad.value(), close_to(1. / 11));  // all nine: 0 0 0 1 1 1 1 2 5
    CHECK_FALSE(join_epochs(estimates, {}, 0.95).relative_mad);
    // Within the epochs: s^2 = 1, 1, 7 with three samples each; sqrt(1/3 + 1/3 + 7/3) / 3
    CHECK_THAT(e.standard_error_over_sqrt_kept.value(), close_to(std::sqrt(3.) / 3));
}

TEST_CASE("six epochs have an interval of the median of their medians", "[statistics]") {
    std::vector<Estimate> estimates;
    for (double const x : {3., 1., 2., 6., 5., 4.})
        estimates.push_back(estimate(Samples{x}).value());
    auto const e = join_epochs(estimates, Samples{3, 1, 2, 6, 5, 4}, 0.95);
    CHECK_THAT(e.median, close_to(3.5));
    CHECK(e.median_interval == Interval{1, 6});
    CHECK_FALSE(e.standard_error_winsorized);
}

TEST_CASE("joining one epoch returns that epoch", "[statistics]") {
    std::vector<Estimate> const one{estimate(eight).value()};
    auto const e = join_epochs(one, eight, 0.95);
    CHECK(e.value == one[0].value);
    CHECK(e.standard_error == one[0].standard_error);
    CHECK(e.interval == one[0].interval);
    CHECK(e.quantiles == one[0].quantiles);
    CHECK_THROWS_AS(join_epochs({}, {}, 0.95), UsageError);
}

TEST_CASE("the Winsorised interval has its nominal coverage, the published intervals do not", "[statistics]") {
    // Lognormal samples with shape s. Trimming a quarter at each end of the population leaves the mean 2 exp(s^2/2)
    // (Phi(z - s) - Phi(-z - s)), where z is the upper quartile of the normal distribution.
    constexpr double shape = 0.3;
    constexpr double z = 0.6744897501960817;
    auto const phi = [](double x) { return std::erfc(-x / std::sqrt(2.)) / 2; };
    auto const truth = 2 * std::exp(shape * shape / 2) * (phi(z - shape) - phi(-z - shape));

    constexpr int trials = 3000;
    auto const t = student_quantile(0.95, 15);
    std::mt19937_64 random{20};
    std::normal_distribution<double> normal;
    int seed = 0;
    int ref = 0;
    int winsor = 0;
    for (int trial = 0; trial < trials; ++trial) {
        Samples xs(32);
        for (double& x : xs)
            x = std::exp(shape * normal(random));
        auto const off = std::abs(mean(trimmed(xs, 0.25)) - truth);
        seed += off <= t * trimmed_standard_error(xs, 0.25, ErrorKind::over_sqrt_n);
        ref += off <= t * trimmed_standard_error(xs, 0.25, ErrorKind::over_sqrt_kept);
        winsor += off <= t * trimmed_standard_error(xs, 0.25, ErrorKind::winsorized);
    }
    CHECK(seed < trials * 0.65);
    CHECK(ref < trials * 0.8);
    CHECK(winsor > trials * 0.92);
    CHECK(winsor < trials * 0.97);
}

TEST_CASE("the least-squares line passes through the means", "[statistics]") {
    // Means 2 and 5; sum of squares 2, sum of products 3.
    std::vector<double> const xs{1, 2, 3};
    std::vector<double> const ys{3, 6, 6};
    auto const line = measure::fit_line(xs, ys);
    CHECK_THAT(line.slope, close_to(1.5));
    CHECK_THAT(line.at(2), close_to(5));
    CHECK_THAT(line.at(0), close_to(2));
    CHECK(std::isnan(measure::fit_line(std::vector<double>{4, 4}, std::vector<double>{1, 2}).slope));
    CHECK(std::isnan(measure::fit_line({}, {}).slope));
}
