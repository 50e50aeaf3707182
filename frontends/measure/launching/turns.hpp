// SPDX-License-Identifier: BSD-3-Clause
/// Turns: which side is launched next, and the number of rounds. Pure: launches nothing and reads no clock.
///
/// A campaign launches one side, or alternates between two sides. A round is one launch of each side. A launch after a
/// pause may differ from a launch right after another one, so the sides take turns in being first.
#pragma once

#include <measure/units.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>

namespace measure::tool {

/// The side that is first in a round.
enum class First {
    a,              ///< always side A; also if there is only one side
    drawn,          ///< random for each round
    in_blocks,      ///< A B B A or B A A B: random for each pair of rounds
    in_own_blocks,  ///< as `in_blocks`, but each pair of rounds has its own seed: its number, from 1
};

struct Order {
    First first = First::a;
    std::uint64_t seed = 1;  ///< seed of std::mt19937_64
};

/// The sides of a round in the order of their launches, 0 for A and 1 for B. The order does not depend on earlier
/// rounds, so a resumed campaign keeps its order. \param round  number of the round, from 0
[[nodiscard]] inline std::array<std::size_t, 2> sides_of_round(Order const& order, int round) {
    if (order.first == First::a)
        return {0, 1};
    int const block = round / 2;
    bool const has_own = order.first == First::in_own_blocks;
    std::mt19937_64 random{has_own ? static_cast<std::uint64_t>(block) + 1 : order.seed};
    if (!has_own)
        random.discard(static_cast<unsigned long long>(order.first == First::in_blocks ? block : round));
    bool const is_second_of_block = order.first != First::drawn && round % 2 == 1;
    bool const begins_with_b = (random() % 2 == 1) != is_second_of_block;
    return begins_with_b ? std::array<std::size_t, 2>{1, 0} : std::array<std::size_t, 2>{0, 1};
}

/// When a campaign ends.
struct Extent {
    int least = 1;                             ///< rounds that are made even if they exceed the budget
    std::optional<int> most{};                 ///< maximum number of rounds; nothing: only the budget limits them
    std::optional<measure::seconds> budget{};  ///< nothing: only `most` limits the rounds
    bool is_strict = false;  ///< no round may begin after the budget, even if there are fewer than `least`
};

/// The expected total number of rounds; `complete` if no further round should begin.
/// \param elapsed  spent part of the budget  \param next  expected duration of a further round
[[nodiscard]] inline int rounds_in_all(Extent const& extent, int complete, measure::seconds elapsed,
                                       measure::seconds next) {
    constexpr double many = 1e9;
    int const most = extent.most.value_or(std::numeric_limits<int>::max());
    if (!extent.budget)
        return most;
    auto const left = *extent.budget - elapsed;
    if (complete < extent.least)
        return extent.is_strict && left.count() <= 0 ? complete : std::min(most, extent.least);
    double const more = std::floor(left / next);
    return more >= 1 ? std::min(most, static_cast<int>(std::min(complete + more, many))) : complete;
}

/// Overload that expects the mean duration of the complete rounds.
[[nodiscard]] inline int rounds_in_all(Extent const& extent, int complete, measure::seconds elapsed) {
    return rounds_in_all(extent, complete, elapsed, elapsed / std::max(complete, 1));
}

}  // namespace measure::tool
