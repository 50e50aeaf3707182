// SPDX-License-Identifier: BSD-3-Clause
#include "launches/launches.hpp"
#include "support/catch.hpp"

using measure::seconds;
using measure::tool::launches_in_budget;

TEST_CASE("as many launches fit into a budget as take the mean of those so far", "[measure][launches]") {
    // 4 in 20 s are 5 s each.
    CHECK(launches_in_budget(4, seconds{20}, seconds{25}) == 5);
    CHECK(launches_in_budget(4, seconds{20}, seconds{24.9}) == 4);
    CHECK(launches_in_budget(4, seconds{20}, seconds{60}) == 12);
    CHECK(launches_in_budget(4, seconds{20}, seconds{1}) == 4);
}

TEST_CASE("a budget has two launches at least, and no end of the numbers", "[measure][launches]") {
    CHECK(launches_in_budget(0, seconds{0}, seconds{1}) == 2);
    CHECK(launches_in_budget(1, seconds{30}, seconds{10}) == 2);
    CHECK(launches_in_budget(2, seconds{1e-9}, seconds{1e9}) == 1'000'000'000);
}
