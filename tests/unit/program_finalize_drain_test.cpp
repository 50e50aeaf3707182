// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/finalize_drain.hpp"
#include "support/catch.hpp"

#include <algorithm>

using program::drain_partners;
using Partners = std::vector<int>;

TEST_CASE("the partners of a rank are the root and the ranks at distances of powers of two", "[finalize_drain]") {
    // Rank 5 of 12: 5 +- 1, 2, 4, 8 with wrap-around, and 0.
    CHECK(drain_partners(5, 12) == Partners{0, 1, 3, 4, 6, 7, 9});
    CHECK(drain_partners(0, 6) == Partners{1, 2, 3, 4, 5});
    CHECK(drain_partners(1, 2) == Partners{0});
    CHECK(drain_partners(0, 1).empty());
}

TEST_CASE("partners are mutual", "[finalize_drain]") {
    for (int size = 2; size <= 17; ++size)
        for (int rank = 0; rank < size; ++rank)
            for (int const other : drain_partners(rank, size)) {
                auto const back = drain_partners(other, size);
                CHECK(std::count(back.begin(), back.end(), rank) == 1);
            }
}
