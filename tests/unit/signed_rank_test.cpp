// SPDX-License-Identifier: BSD-3-Clause
#include "measure/signed_rank.hpp"
#include "support/catch.hpp"
#include "support/exactly.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

using measure::signed_rank_above;
using test::exactly;

namespace {

using Differences = std::vector<double>;

/// Tries all combinations of signs.
double p_by_hand(Differences const& sizes, double w) {
    std::size_t above = 0;
    std::size_t const all = std::size_t{1} << sizes.size();
    for (std::size_t signs = 0; signs < all; ++signs) {
        Differences ds = sizes;
        for (std::size_t i = 0; i < ds.size(); ++i)
            if ((signs >> i & 1U) != 0)
                ds[i] = -ds[i];
        above += signed_rank_above(ds).w >= w ? 1U : 0U;
    }
    return static_cast<double>(above) / static_cast<double>(all);
}

}  // namespace

TEST_CASE("only positive differences give the smallest possible p", "[signed_rank]") {
    auto const test = signed_rank_above(Differences{0.3, 0.1, 0.2, 0.5, 0.4});
    CHECK(test.w == 15);
    CHECK(test.used == 5);
    CHECK(test.exact);
    CHECK_THAT(test.p, exactly(1.0 / 32));
    CHECK(measure::smallest_signed_rank_p(5) == 1.0 / 32);
    CHECK(measure::smallest_signed_rank_p(0) == 1);
}

TEST_CASE("one negative difference, and only negative ones, give the exact p", "[signed_rank]") {
    // Sums of at least 14 of 15: the negative ranks are {} or {1}, which is 2 of 32 combinations.
    CHECK_THAT(signed_rank_above(Differences{-0.1, 0.2, 0.3, 0.4, 0.5}).p, exactly(2.0 / 32));
    // Sums of at least 12: the negative ranks are {}, {1}, {2}, {3} or {1, 2}, which is 5 of 32 combinations.
    CHECK_THAT(signed_rank_above(Differences{0.1, 0.2, -0.3, 0.4, 0.5}).p, exactly(5.0 / 32));
    CHECK(signed_rank_above(Differences{-1, -2, -3}).p == 1);
}

TEST_CASE("critical values match Wilcoxon's table", "[signed_rank]") {
    // n = 10, one-sided 5 %: the negative ranks may sum to 10 (0.0420), but not to 11 (0.0527).
    Differences ds(10);
    std::iota(ds.begin(), ds.end(), 1.0);
    ds[9] = -10;
    CHECK_THAT(signed_rank_above(ds).p, exactly(43.0 / 1024));
    ds[0] = -1;
    CHECK_THAT(signed_rank_above(ds).p, exactly(54.0 / 1024));
}

TEST_CASE("equal sizes share a rank, and zeros are ignored", "[signed_rank]") {
    Differences const ds{0, 0.5, -0.5, 0.5, 1, 0, 1};
    auto const test = signed_rank_above(ds);
    CHECK(test.used == 5);
    CHECK(test.w == 2 + 2 + 4.5 + 4.5);
    CHECK_THAT(test.p, exactly(p_by_hand({0.5, 0.5, 0.5, 1, 1}, 13)));
    CHECK(signed_rank_above(Differences{0, 0}).p == 1);
    CHECK(signed_rank_above(Differences{}).used == 0);
}

TEST_CASE("many differences use the normal distribution", "[signed_rank]") {
    // The second and fourth of every five ranks from 1 to 201 are negative. Mean 10150.5, sigma^2 = 201 x 202 x 403 /
    // 24.
    Differences ds(201);
    for (std::size_t i = 0; i < ds.size(); ++i)
        ds[i] = (i % 5 == 1 || i % 5 == 3 ? -1.0 : 1.0) * static_cast<double>(i + 1);
    auto const test = signed_rank_above(ds);
    CHECK_FALSE(test.exact);
    CHECK(test.w == 12261);  // 40 x (1 + 3 + 5) + 3 x 5 x (0 + .. + 39) + 201
    double const sigma = std::sqrt(201.0 * 202 * 403 / 24);
    CHECK_THAT(test.p, exactly(std::erfc((12261 - 10150.5 - 0.5) / sigma / std::sqrt(2.0)) / 2));
    // The exact value for 200 differences is close to it.
    ds.pop_back();
    auto const counted = signed_rank_above(ds);
    CHECK(counted.exact);
    CHECK(counted.w == 12060);
    double const normal = std::erfc((12060 - 10050 - 0.5) / std::sqrt(200.0 * 201 * 401 / 24) / std::sqrt(2.0)) / 2;
    CHECK_THAT(counted.p, Catch::Matchers::WithinRel(normal, 0.05));
}
