// SPDX-License-Identifier: BSD-3-Clause
/// Tournament: rounds in which each of n seats meets every other seat once. Pure, local; each rank computes its
/// partners without communication.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace measure::tool::pairs {

/// A node or a seat as an index into a vector.
[[nodiscard]] constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

/// Two nodes or seats that meet. An unordered pair has the smaller number first.
using Pair = std::pair<int, int>;

[[nodiscard]] inline Pair pair_of(int i, int j) noexcept { return i < j ? Pair{i, j} : Pair{j, i}; }

/// Number of rounds of n >= 2 seats: n - 1 if n is even, otherwise n, with one seat idle in each round.
[[nodiscard]] int rounds_of(int n) noexcept;

/// The partner of a seat in a round, by the circle method. Let N be n rounded up to an even number. In round k, seats i
/// and j below N - 1 meet if i + j = k mod N - 1, and the seat with 2 i = k mod N - 1 meets seat N - 1. Empty if the
/// seat is idle.
/// \param round  0 .. rounds_of(n) - 1
[[nodiscard]] std::optional<int> partner(int n, int round, int seat) noexcept;

/// All pairs of a round, in the order of their smaller seat.
[[nodiscard]] std::vector<Pair> meetings(int n, int round);

/// Splits pairs into batches in which no two pairs share a host. Each pair goes to the first batch in which both of its
/// hosts are free. \param host  [seat] number of its host, >= 0
[[nodiscard]] std::vector<std::vector<Pair>> apart(std::span<Pair const> pairs, std::span<int const> host);

}  // namespace measure::tool::pairs
