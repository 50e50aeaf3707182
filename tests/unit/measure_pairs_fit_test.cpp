// SPDX-License-Identifier: BSD-3-Clause
#include "pairs/fit.hpp"
#include "pairs/suspects.hpp"
#include "pairs/together.hpp"
#include "pairs/tournament.hpp"
#include "support/catch.hpp"
#include "support/pairs_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

// In the namespace of pairs, because other commands use the same names and a unity build compiles the tests together.
namespace measure::tool::pairs {

TEST_CASE("rows that are spread over processes contain each pair once, and each node with all others",
          "[measure_pairs]") {
    std::set<Pair> pairs;
    std::size_t ways = 0;
    for (auto const& share : {Share::one(4, 0), Share::one(4, -1), Share{4, 1, 3}}) {
        Rows<int> rows{share, 7};
        rows.for_each([&](int i, int j, int value) {
            CHECK((i < j && value == 7 && share.has(i)));
            CHECK(pairs.insert({i, j}).second);
        });
        rows.for_each_way([&](int i, int j, int) {
            CHECK((i != j && share.has(i)));
            ++ways;
        });
    }
    CHECK(pairs.size() == 6);
    CHECK(ways == 12);
    Rows<int> rows{Share{4, 1, 2}};
    rows.at(2, 0) = 5;
    CHECK(rows.row(2)[0] == 5);
    CHECK(rows.row(1)[0] == 0);
}

TEST_CASE("quantiles are taken over the values of all processes", "[measure_pairs]") {
    std::mt19937_64 random{1};
    std::normal_distribution<double> normal;
    std::vector<double> const ps{0, 0.05, 0.5, 0.95, 1};
    std::vector<std::vector<double>> sets{{}, {3}, {-1, 2}, {0.0, -0.0, 1}, {1e-300, -1e300, 5, 5, 5}};
    for (std::size_t const count : {100U, 101U}) {
        auto& set = sets.emplace_back(count);
        std::generate(set.begin(), set.end(), [&] { return normal(random); });
    }
    auto const found = quantiles(measure::Comm::solo(), sets, ps);
    auto const middles = medians(measure::Comm::solo(), sets);
    CHECK(std::isnan(found[0][2]));
    for (std::size_t set = 1; set < sets.size(); ++set) {
        for (std::size_t p = 0; p < ps.size(); ++p)
            CHECK(found[set][p] == measure::quantile(sets[set], ps[p]));
        CHECK(middles[set] == measure::median(sets[set]));
    }
    CHECK(order_statistic(measure::Comm::solo(), {4, 2, 9, 2}, 2) == 4);
}

TEST_CASE("in a tournament all nodes meet once, and each node at most once per round", "[measure_pairs]") {
    for (int n = 2; n <= 101; n += n < 65 ? 1 : 36) {
        std::set<Pair> met;
        for (int round = 0; round < rounds_of(n); ++round) {
            std::set<int> busy;
            for (auto const& pair : meetings(n, round)) {
                CHECK(met.insert(pair).second);
                CHECK(busy.insert(pair.first).second);
                CHECK(busy.insert(pair.second).second);
                CHECK(partner(n, round, pair.second) == pair.first);
            }
            CHECK(busy.size() == static_cast<std::size_t>(n - n % 2));
        }
        CHECK(met.size() == static_cast<std::size_t>(n * (n - 1) / 2));
        CHECK(rounds_of(n) == (n % 2 == 0 ? n - 1 : n));
    }
}

TEST_CASE("the rounds of four nodes agree with those found by hand", "[measure_pairs]") {
    // N - 1 = 3: seats meet if i + j = k mod 3, and the seat with 2 i = k mod 3 meets seat 3.
    CHECK(meetings(4, 0) == std::vector<Pair>{{0, 3}, {1, 2}});
    CHECK(meetings(4, 1) == std::vector<Pair>{{0, 1}, {2, 3}});
    CHECK(meetings(4, 2) == std::vector<Pair>{{0, 2}, {1, 3}});
    CHECK_FALSE(partner(3, 0, 0));  // with three nodes, seat 3 is empty
}

TEST_CASE("pairs that share no host are measured at the same time", "[measure_pairs]") {
    std::vector<Pair> const pairs{{0, 3}, {1, 2}, {4, 5}};
    CHECK(apart(pairs, std::vector{0, 1, 2, 3, 4, 5}).size() == 1);
    // Two ranks per host: (0, 3) and (1, 2) use hosts 0 and 1, (4, 5) uses only host 2.
    auto const batches = apart(pairs, std::vector{0, 0, 1, 1, 2, 2});
    REQUIRE(batches.size() == 2);
    CHECK(batches[0] == std::vector<Pair>{{0, 3}, {4, 5}});
    CHECK(batches[1] == std::vector<Pair>{{1, 2}});
    // On one host, the pairs run one after another.
    CHECK(apart(pairs, std::vector{0, 0, 0, 0, 0, 0}).size() == 3);
}

TEST_CASE("without noise, the levels are exactly the times of the classes", "[measure_pairs]") {
    Exact const exact;
    auto const found = fit(exact.logs, exact.classes, 3);
    CHECK_THAT(std::exp(found.levels[0]) * 1e6, near_to(1));
    CHECK_THAT(std::exp(found.levels[1]) * 1e6, near_to(5));
    CHECK(std::isnan(found.levels[2]));
    for (double const effect : found.effects)
        CHECK_THAT(effect, near_to(0));
    CHECK(found.effect_scale == 0.002);
}

TEST_CASE("a slow node shows in its effect, a slow link in its residual", "[measure_pairs]") {
    Exact exact;
    for (int j = 0; j < 10; ++j)
        if (j != 7)
            exact.logs.at(7, j) += 0.2;
    exact.logs.at(1, 3) += 0.3;
    auto const found = fit(exact.logs, exact.classes, 2);
    CHECK_THAT(found.effects[7], near_to(0.2));
    CHECK_THAT(found.residuals.at(1, 3), near_to(0.3));
    CHECK_THAT(found.residuals.at(7, 3), near_to(0));
    CHECK_THAT(found.effects[1], near_to(0));
    CHECK_THAT(found.predicted(7, 3, 1), near_to(std::log(5e-6) + 0.2));
}

TEST_CASE("the fit ignores pairs that were not measured", "[measure_pairs]") {
    Exact exact;
    for (int j = 0; j < 10; ++j)
        if (j != 2)
            exact.logs.at(2, j) = not_measured;
    exact.logs.at(0, 9) = not_measured;
    auto const found = fit(exact.logs, exact.classes, 2);
    CHECK(found.effects[2] == 0);
    CHECK(std::isnan(found.residuals.at(0, 9)));
    CHECK_THAT(found.residuals.at(0, 8), near_to(0));
}

TEST_CASE("more partners give a more precise effect of a node", "[measure_pairs]") {
    Exact exact;
    CHECK(fit(exact.logs, exact.classes, 2).partners == 9);
    for (int j = 0; j < 10; ++j)
        if (j != 2)
            exact.logs.at(2, j) = not_measured;
    CHECK_THAT(fit(exact.logs, exact.classes, 2).partners, near_to(7.2));  // 36 pairs of 10
    // With this many trials, only the screen limits what is found.
    Rules const rules{.sieve = 100000, .confirm = 100000};
    auto const smallest = [&](double partners) {
        return detectable(Fit{.effect_scale = 0.002, .partners = partners}, 0.05, 1, 1, rules).node;
    };
    CHECK(smallest(4) > 1.2 * smallest(15));
}

}  // namespace measure::tool::pairs
