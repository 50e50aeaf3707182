// SPDX-License-Identifier: BSD-3-Clause
#include "launching/turns.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <string>

using measure::seconds;
using measure::tool::Extent;
using measure::tool::First;
using measure::tool::Order;
using measure::tool::rounds_in_all;
using measure::tool::sides_of_round;

namespace {

/// The sides in the order of their launches: "ABBA" for two rounds.
std::string starts_of(Order const& order, int rounds) {
    std::string all;
    for (int round = 0; round < rounds; ++round)
        for (auto const side : sides_of_round(order, round))
            all += side == 0 ? 'A' : 'B';
    return all;
}

}  // namespace

// The first draws of std::mt19937_64 are, modulo 2: 0 0 0 0 0 1 0 1 with seed 1, 0 1 1 1 0 1 1 1 with seed 2, and
// 1 0 0 0 1 with seed 7. The first draw of the seeds 1 to 4 is 0 0 1 1.

TEST_CASE("side A is first in each round by default", "[measure][turns]") { CHECK(starts_of({}, 3) == "ABABAB"); }

TEST_CASE("the first side of each round is drawn from the seed", "[measure][turns]") {
    CHECK(starts_of({First::drawn, 1}, 8) == "ABABABABABBAABBA");
    CHECK(starts_of({First::drawn, 2}, 8) == "ABBABABAABBABABA");
}

TEST_CASE("each side is first once in each block of two rounds", "[measure][turns]") {
    CHECK(starts_of({First::in_blocks, 2}, 8) == "ABBABAABBAABBAAB");
    CHECK(starts_of({First::in_blocks, 7}, 10) == "BAABABBAABBAABBABAAB");
    CHECK(starts_of({First::in_blocks, 7}, 3) == "BAABAB");
}

TEST_CASE("with own blocks, the seed of a block is its number, not the given seed", "[measure][turns]") {
    CHECK(starts_of({First::in_own_blocks, 1}, 8) == "ABBAABBABAABBAAB");
    CHECK(starts_of({First::in_own_blocks, 7}, 8) == "ABBAABBABAABBAAB");
}

TEST_CASE("the order of a round does not depend on the other rounds", "[measure][turns]") {
    for (auto const first : {First::drawn, First::in_blocks, First::in_own_blocks}) {
        auto const all = starts_of({first, 5}, 20);
        for (std::size_t round = 0; round < 20; ++round)
            CHECK((sides_of_round({first, 5}, static_cast<int>(round))[0] == 0) == (all[2 * round] == 'A'));
    }
}

TEST_CASE("without a budget the given number of rounds is used", "[measure][turns]") {
    CHECK(rounds_in_all({.most = 3}, 0, seconds{0}) == 3);
    CHECK(rounds_in_all({.least = 6, .most = 3}, 2, seconds{1000}) == 3);
}

TEST_CASE("the number of rounds in a budget follows from the mean duration of the complete rounds",
          "[measure][turns]") {
    auto const rounds = [](int complete, seconds elapsed, seconds budget) {
        return rounds_in_all({.least = 2, .budget = budget}, complete, elapsed);
    };
    // Four rounds in 20 s take 5 s each.
    CHECK(rounds(4, seconds{20}, seconds{25}) == 5);
    CHECK(rounds(4, seconds{20}, seconds{24.9}) == 4);
    CHECK(rounds(4, seconds{20}, seconds{60}) == 12);
    CHECK(rounds(4, seconds{20}, seconds{1}) == 4);
}

TEST_CASE("a budget allows at least the minimum number of rounds, and at most 10^9", "[measure][turns]") {
    auto const rounds = [](int complete, seconds elapsed, seconds budget) {
        return rounds_in_all({.least = 2, .budget = budget}, complete, elapsed);
    };
    CHECK(rounds(0, seconds{0}, seconds{1}) == 2);
    CHECK(rounds(1, seconds{30}, seconds{10}) == 2);
    CHECK(rounds(2, seconds{1e-9}, seconds{1e9}) == 1'000'000'000);
}

TEST_CASE("a given number of rounds may end before the budget", "[measure][turns]") {
    Extent const extent{.least = 2, .most = 10, .budget = seconds{60}};
    CHECK(rounds_in_all(extent, 4, seconds{20}) == 10);
    CHECK(rounds_in_all(extent, 4, seconds{56}) == 4);
    CHECK(rounds_in_all({.least = 2, .most = 1, .budget = seconds{60}}, 0, seconds{0}) == 1);
}

TEST_CASE("the expected duration of the next round may differ from that of the complete rounds", "[measure][turns]") {
    Extent const extent{.least = 6, .budget = seconds{60}};
    CHECK(rounds_in_all(extent, 8, seconds{40}, seconds{10}) == 10);
    CHECK(rounds_in_all(extent, 8, seconds{40}, seconds{21}) == 8);
}

TEST_CASE("a spent strict budget starts no further round", "[measure][turns]") {
    Extent const extent{.least = 6, .budget = seconds{60}, .is_strict = true};
    CHECK(rounds_in_all(extent, 5, seconds{59}, seconds{10}) == 6);
    CHECK(rounds_in_all(extent, 5, seconds{60}, seconds{10}) == 5);
    CHECK(rounds_in_all(extent, 6, seconds{61}, seconds{10}) == 6);
}
