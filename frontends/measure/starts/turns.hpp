// SPDX-License-Identifier: BSD-3-Clause
/// Turns: which side is started next, and how many rounds there are to be. Pure: it starts nothing and asks no clock.
///
/// A campaign starts one side, or two sides in turn. A round is one start of each. A start that follows a pause may
/// differ from one that follows another start, so neither side is to be the first each time.
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

/// Which side is the first in a round.
enum class First {
    a,              ///< side A; also where there is only one
    drawn,          ///< one draw of the seed for each round
    in_blocks,      ///< A B B A or B A A B: one draw of the seed for each two rounds
    in_own_blocks,  ///< the same order, but two rounds share a seed: their number from 1
};

struct Order {
    First first = First::a;
    std::uint64_t seed = 1;  ///< of std::mt19937_64
};

/// The sides of a round in the order of their starts, 0 for A and 1 for B. A round does not depend on the rounds
/// before, so that a campaign that is resumed keeps its order. \param round  from 0
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

/// When there are enough rounds.
struct Extent {
    int least = 1;                             ///< whatever they take
    std::optional<int> most{};                 ///< nothing: as many as fit into the budget
    std::optional<measure::seconds> budget{};  ///< nothing: only `most` counts
    bool is_strict = false;                    ///< not even the least number may begin after the budget
};

/// The expected number of rounds in all: `complete` where no further round begins.
/// \param elapsed  of the budget  \param next  what each further round takes
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

/// The same where a round takes the mean time of the complete rounds.
[[nodiscard]] inline int rounds_in_all(Extent const& extent, int complete, measure::seconds elapsed) {
    return rounds_in_all(extent, complete, elapsed, elapsed / std::max(complete, 1));
}

}  // namespace measure::tool
