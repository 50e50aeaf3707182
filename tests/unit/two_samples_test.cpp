// SPDX-License-Identifier: BSD-3-Clause
#include "measure/error.hpp"
#include "measure/two_samples.hpp"
#include "support/catch.hpp"
#include "support/exactly.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace measure;
using test::exactly;

namespace {

using Samples = std::vector<double>;

auto as_tabled(double x, double tolerance) { return Catch::Matchers::WithinAbs(x, tolerance); }

/// Two samples without equal values whose U (pairs with y > x) is `u`: a y with i of the xs above it has n - i pairs.
std::pair<Samples, Samples> samples_with_u(int n, int m, int u) {
    Samples xs(static_cast<std::size_t>(n));
    std::iota(xs.begin(), xs.end(), 1.);
    Samples ys;
    for (int j = 0; j < m; ++j) {
        int const above = std::min(n, u);
        u -= above;
        ys.push_back(above + 0.5 + 0.001 * j);
    }
    return {xs, ys};
}

double p_of(int n, int m, int u) {
    auto const [xs, ys] = samples_with_u(n, m, u);
    auto const test = mann_whitney_u(xs, ys);
    CHECK(test.u == u);
    CHECK(test.exact);
    return test.p;
}

/// The number of pairs with y > x, where equal ones count half.
double count_u(Samples const& xs, Samples const& ys) {
    double u = 0;
    for (double const y : ys)
        for (double const x : xs)
            u += y > x ? 1 : y == x ? 0.5 : 0;
    return u;
}

/// p by trying every way to divide the pooled values.
double enumerated_p(Samples const& xs, Samples const& ys) {
    Samples pooled = xs;
    pooled.insert(pooled.end(), ys.begin(), ys.end());
    double const expected = static_cast<double>(xs.size() * ys.size()) / 2;
    double const observed = std::abs(count_u(xs, ys) - expected);
    int far = 0;
    int all = 0;
    for (unsigned mask = 0; mask < 1U << pooled.size(); ++mask) {
        if (static_cast<std::size_t>(std::popcount(mask)) != xs.size())
            continue;
        Samples as;
        Samples bs;
        for (std::size_t i = 0; i < pooled.size(); ++i)
            ((mask >> i & 1U) != 0 ? as : bs).push_back(pooled[i]);
        ++all;
        far += std::abs(count_u(as, bs) - expected) >= observed ? 1 : 0;
    }
    return static_cast<double>(far) / all;
}

}  // namespace

TEST_CASE("P(U <= u) matches table I of Mann and Whitney 1947", "[two_samples]") {
    // n = 3: 1, 2, 4, 7 of 20; n = 4: 1, 2, 4, 7, 12, 17, 24, 31, 39 of 70, which the table rounds.
    Samples const three{.050, .100, .200, .350};
    for (std::size_t u = 0; u < three.size(); ++u)
        CHECK_THAT(p_of(3, 3, static_cast<int>(u)) / 2, as_tabled(three[u], 0.0005));
    Samples const four{.014, .029, .057, .100, .171, .243, .343, .443};
    for (std::size_t u = 0; u < four.size(); ++u)
        CHECK_THAT(p_of(4, 4, static_cast<int>(u)) / 2, as_tabled(four[u], 0.0005));
    CHECK(p_of(4, 4, 8) == 1);
    Samples const four_and_two{.067, .133, .267, .400};
    for (std::size_t u = 0; u < four_and_two.size(); ++u)
        CHECK_THAT(p_of(4, 2, static_cast<int>(u)) / 2, as_tabled(four_and_two[u], 0.0005));
}

TEST_CASE("critical values match the usual tables", "[two_samples]") {
    struct Row {
        int n;
        int m;
        int five_percent;  ///< largest significant U, two-sided, at 5 %
        int one_percent;   ///< the same at 1 %; -1: no U is significant
    };
    // Two-sided tables of U as in Siegel, Nonparametric Statistics, tables K.
    for (Row const& row : {Row{4, 4, 0, -1}, Row{5, 5, 2, 0}, Row{6, 6, 5, 2}, Row{8, 8, 13, 7}, Row{5, 10, 8, 4},
                           Row{10, 10, 23, 16}, Row{15, 15, 64, 51}, Row{20, 20, 127, 105}}) {
        CHECK(p_of(row.n, row.m, row.five_percent) <= 0.05);
        CHECK(p_of(row.n, row.m, row.five_percent + 1) > 0.05);
        if (row.one_percent >= 0)
            CHECK(p_of(row.n, row.m, row.one_percent) <= 0.01);
        CHECK(p_of(row.n, row.m, row.one_percent + 1) > 0.01);
    }
}

TEST_CASE("the exact p matches an enumeration, with and without equal values", "[two_samples]") {
    std::mt19937_64 random{7};
    for (int trial = 0; trial < 60; ++trial) {
        auto const draw = [&](std::size_t n) {
            Samples xs;
            for (std::size_t i = 0; i < n; ++i)
                xs.push_back(static_cast<double>(random() % (trial % 2 == 0 ? 5 : 1000)));
            return xs;
        };
        auto const xs = draw(1 + random() % 6);
        auto const ys = draw(1 + random() % 5);
        auto const test = mann_whitney_u(xs, ys);
        CHECK(test.u == count_u(xs, ys));
        CHECK_THAT(test.p, exactly(enumerated_p(xs, ys)));
        CHECK_THAT(mann_whitney_u(ys, xs).p, exactly(test.p));
    }
}

TEST_CASE("equal samples do not differ", "[two_samples]") {
    Samples const equal(5, 2.);
    CHECK(mann_whitney_u(equal, equal).p == 1);
    Samples const many(50, 2.);
    CHECK(mann_whitney_u(many, many).p == 1);
    CHECK_FALSE(mann_whitney_u(many, many).exact);
}

TEST_CASE("large samples use the normal distribution with corrections for ties and continuity", "[two_samples]") {
    // xs: 15 times 1, 15 times 2; ys: 10 times 1, 20 times 3. U = 10 (15/2) + 20 30 = 675, mean 450, N = 60.
    // Ties 25, 15, 20: sum(t^3 - t) = 15600 + 3360 + 7980 = 26940.
    // sigma^2 = 900/12 (61 - 26940 / (60 59)) = 75 (61 - 7.610169) = 4004.2373, z = 224.5 / 63.27904 = 3.547778,
    // p = 2 (1 - Phi(3.547778)) = 3.885e-4
    Samples xs(15, 1.);
    xs.resize(30, 2.);
    Samples ys(10, 1.);
    ys.resize(30, 3.);
    auto const test = mann_whitney_u(xs, ys);
    CHECK(test.u == 675);
    CHECK_FALSE(test.exact);
    CHECK_THAT(test.p, as_tabled(3.885e-4, 2e-7));
}

TEST_CASE("the normal p is close to the exact p at the size where the method changes", "[two_samples]") {
    // 20 and 20 values are counted exactly; with one more value they are not.
    auto const exact = samples_with_u(20, 20, 127);
    auto const normal = samples_with_u(20, 21, 134);
    CHECK_THAT(mann_whitney_u(exact.first, exact.second).p, as_tabled(0.0490, 0.0015));
    auto const test = mann_whitney_u(normal.first, normal.second);
    CHECK_FALSE(test.exact);
    CHECK_THAT(test.p, as_tabled(0.049, 0.002));
}

TEST_CASE("the smallest p belongs to samples that do not overlap", "[two_samples]") {
    for (auto const& [n, m] : {std::pair{1, 1}, {2, 3}, {4, 4}, {10, 10}})
        CHECK_THAT(smallest_p(static_cast<std::size_t>(n), static_cast<std::size_t>(m)), exactly(p_of(n, m, 0)));
    CHECK_THAT(smallest_p(5, 5), exactly(2. / 252));
}

TEST_CASE("Holm's adjustment of p-values matches known values", "[two_samples]") {
    // Four tests at 5 %: the two smallest are significant, but 0.03 > 0.05 / 2 and the following one are not.
    CHECK(holm(Samples{}).empty());
    auto const four = holm(Samples{0.01, 0.04, 0.03, 0.005});
    Samples const expected_four{0.03, 0.06, 0.06, 0.02};
    // p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") in R
    auto const five = holm(Samples{0.01, 0.02, 0.03, 0.04, 0.05});
    Samples const expected_five{0.05, 0.08, 0.09, 0.09, 0.09};
    for (std::size_t i = 0; i < four.size(); ++i)
        CHECK_THAT(four[i], exactly(expected_four[i]));
    for (std::size_t i = 0; i < five.size(); ++i)
        CHECK_THAT(five[i], exactly(expected_five[i]));
    CHECK(holm(Samples{0.7, 0.9}) == Samples{1, 1});
    CHECK(holm(Samples{0.2}) == Samples{0.2});
}

TEST_CASE("the interval of a ratio ends at the pairs given by the critical value of the test", "[two_samples]") {
    // For 4 and 4 values, U = 0 has 1 of 70 ways: 2/70 < 5 %. Including U = 1 it would be 4/70.
    Samples const four{10, 10.1, 10.2, 10.3};
    Samples const later{20, 20.1, 20.2, 20.3};
    CHECK(ratio_interval(four, later) == Interval{20 / 10.3, 20.3 / 10});
    // For 3 and 3 values the smallest p is 2/20.
    Samples const three{1, 2, 3};
    CHECK_FALSE(ratio_interval(three, three));
    CHECK(ratio_interval(three, three, 0.85) == Interval{1. / 3, 3});
    CHECK_FALSE(ratio_interval(three, Samples{}));
    // The tables give 23 for 10 and 10 values at 5 %: the 24th of 100 ratios, of which ten are 1, ten are 2, ..
    Samples const ones(10, 1.);
    Samples const ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    CHECK(ratio_interval(ones, ten) == Interval{3, 8});
    // Normal for more values: 450.5 - 1.96 * sqrt(900 / 12 * 61) = 317.9, the 317th of 900 ratios.
    Samples const thirty_ones(30, 1.);
    Samples thirty;
    for (int i = 1; i <= 30; ++i)
        thirty.push_back(i);
    CHECK(ratio_interval(thirty_ones, thirty) == Interval{11, 20});
}

TEST_CASE("test and interval agree: p is below alpha if and only if 1 is outside", "[two_samples]") {
    std::mt19937_64 random{7};
    std::normal_distribution<double> normal;
    int found = 0;
    for (int i = 0; i < 300; ++i) {
        Samples xs;
        Samples ys;
        for (int k = 0; k < 6 + i % 5; ++k) {
            xs.push_back(std::exp(0.02 * normal(random)));
            ys.push_back(1.02 * std::exp(0.02 * normal(random)));
        }
        auto const interval = *ratio_interval(xs, ys, 0.95);
        bool const is_apart = interval.first > 1 || interval.second < 1;
        CHECK(is_apart == (mann_whitney_u(xs, ys).p < 0.05));
        found += is_apart ? 1 : 0;
    }
    CHECK(found > 30);
    CHECK(found < 270);
}

TEST_CASE("a single outlier shifts the interval of the ratio by about one rank", "[two_samples]") {
    Samples xs{10.0, 10.1, 9.9, 10.02, 9.98, 10.05, 9.95, 10.03, 9.97, 10.01};
    Samples ys;
    for (double const x : xs)
        ys.push_back(2 * x);
    xs[3] *= 1000;
    for (double const confidence : {0.95, 0.998}) {
        auto const interval = *ratio_interval(xs, ys, confidence);
        CHECK(interval.first > 1.9);
        CHECK(interval.second < 2.1);
    }
}

TEST_CASE("the scale of logarithms follows Rousseeuw and Croux", "[two_samples]") {
    double const ln2 = std::log(2.);
    // For three values the smallest distance counts, C(2, 2) = 1, with the factor for three.
    CHECK_THAT(log_scale(Samples{2, 8, 1}), exactly(2.2219 * 0.994 * ln2));
    // For five values, h = 3, it is the third smallest: distances of 0 1 2 3 10 are 1 1 1 2 2 3 7 8 9 10.
    CHECK_THAT(log_scale(Samples{1, 2, 4, 8, 1024}), exactly(2.2219 * 0.844 * ln2));
    CHECK(log_scale(Samples{5}) == 0);
    CHECK(log_scale(Samples{5, 5}) == 0);
    std::mt19937_64 random{3};
    std::normal_distribution<double> normal;
    Samples many;
    for (int i = 0; i < 5000; ++i)
        many.push_back(std::exp(0.05 * normal(random)));
    CHECK_THAT(log_scale(many), as_tabled(0.05, 0.003));
}

TEST_CASE("one pair of launches in twenty exceeds the noise floor, which a single launch cannot change much",
          "[two_samples]") {
    // exp(1.96 sqrt(2) Q_n)
    Samples const three{2, 8, 1};
    CHECK_THAT(*noise_floor(three), as_tabled(std::exp(1.959964 * std::sqrt(2.) * log_scale(three)), 1e-4));
    CHECK_FALSE(noise_floor(Samples{3}));
    CHECK(noise_floor(Samples{3, 3}) == 1);
    Samples ten{10.0, 10.1, 9.9, 10.02, 9.98, 10.05, 9.95, 10.03, 9.97, 10.01};
    double const quiet = *noise_floor(ten);
    CHECK(quiet < 1.03);
    ten[4] *= 1000;
    CHECK(*noise_floor(ten) < 1.04);
    CHECK(*noise_floor(ten) > quiet / 1.01);
}

TEST_CASE("arguments out of range are refused", "[two_samples]") {
    Samples const xs{1, 2};
    CHECK_THROWS_AS(mann_whitney_u(xs, Samples{}), UsageError);
    CHECK_THROWS_AS(smallest_p(0, 3), UsageError);
    CHECK_THROWS_AS(paired_ratio({xs}, {.confidence = 1}), UsageError);
    CHECK_THROWS_AS(paired_ratio({xs}, {.resamples = 0}), UsageError);
    CHECK_THROWS_AS(noise_floor(xs, 0), UsageError);
    CHECK_THROWS_AS(ratio_interval(xs, xs, 1), UsageError);
}

// ---- strata

TEST_CASE("values are compared within strata, each weighted by its number of values", "[two_samples]") {
    // U = 4 of 2 2 and 2 of 1 2, expected 2 and 1, with variances 5/3 and 2/3; weights 1/5 and 1/4.
    std::vector<Stratum> const strata{{.xs = {1, 2}, .ys = {3, 4}}, {.xs = {10}, .ys = {11, 12}}};
    auto const test = mann_whitney_u(strata);
    CHECK_THAT(test.u, exactly(1.3));
    CHECK_THAT(test.p, exactly(0.04828610767668166));
    CHECK_FALSE(test.exact);
    // Ratios 1.1 and 1.2 have the weight 1/4 each, and 1.5, 2, 3 and 4 the weight 1/5 each: 1.3 together.
    CHECK_THAT(typical_ratio(strata).value(), exactly(1.5));
    auto const half = ratio_interval(strata, 0.5).value();
    CHECK_THAT(half.first, exactly(1.2));
    CHECK_THAT(half.second, exactly(2));
    CHECK_FALSE(ratio_interval(strata, 0.99));
}

TEST_CASE("differences between strata do not affect the test", "[two_samples]") {
    // The second stratum has more ys and is ten times as large.
    std::vector<Stratum> const strata{{.xs = {1.0, 1.2, 1.4, 1.6}, .ys = {1.1, 1.5}},
                                      {.xs = {10, 14}, .ys = {9, 11, 13, 15}}};
    CHECK_THAT(mann_whitney_u(strata).p, exactly(1));
    CHECK(typical_ratio(strata).value() < 1.1);
}

TEST_CASE("a single stratum gives the plain test, and a stratum with values of only one side is ignored",
          "[two_samples]") {
    Samples const xs{1, 2, 3, 4, 5};
    Samples const ys{3.5, 4.5, 5.5, 6.5, 7.5};
    std::vector<Stratum> const strata{{.xs = xs, .ys = ys}, {.xs = {100}, .ys = {}}};
    CHECK(mann_whitney_u(strata).p == mann_whitney_u(xs, ys).p);
    CHECK(mann_whitney_u(strata).exact);
    CHECK(ratio_interval(strata, 0.95) == ratio_interval(xs, ys, 0.95));
    std::vector<Stratum> const nothing{{.xs = {1}, .ys = {}}};
    CHECK(mann_whitney_u(nothing).p == 1);
    CHECK_FALSE(typical_ratio(nothing));
    CHECK_FALSE(ratio_interval(nothing, 0.95));
}
