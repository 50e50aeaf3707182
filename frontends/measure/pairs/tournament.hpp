// SPDX-License-Identifier: BSD-3-Clause
/// Tournament: rounds in which each of n seats meets every other one once. Pure, local; each rank finds its partners
/// alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

/// A node or a seat as the place of its values.
[[nodiscard]] constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

/// Two that meet. As members of a pair without order: the smaller number first.
using Pair = std::pair<int, int>;

[[nodiscard]] inline Pair pair_of(int i, int j) noexcept { return i < j ? Pair{i, j} : Pair{j, i}; }

/// Number of rounds of n >= 2 seats: n - 1, or n where n is odd and in each round one rests.
[[nodiscard]] int rounds_of(int n) noexcept;

/// Whom a seat meets in a round, by the circle method: in round k of N = n (or n + 1) seats i and j below N - 1 meet
/// where i + j = k mod N - 1, and the one with 2 i = k mod N - 1 meets N - 1. Nothing where it rests.
/// \param round  0 .. rounds_of(n) - 1
[[nodiscard]] std::optional<int> partner(int n, int round, int seat) noexcept;

/// All pairs of a round, by their smaller seat.
[[nodiscard]] std::vector<Pair> meetings(int n, int round);

/// The same pairs in batches in which no host has two of them: each pair goes to the first batch in which both of its
/// hosts are free. \param host  [seat] number of its host, >= 0
[[nodiscard]] std::vector<std::vector<Pair>> apart(std::span<Pair const> pairs, std::span<int const> host);

}  // namespace measure::tool::pairs
