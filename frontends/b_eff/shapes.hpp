// SPDX-License-Identifier: BSD-3-Clause
/// Shapes: the division of processes into rings and grids. Pure; exact integer arithmetic.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace b_eff {

/// Rings of consecutive places: first the rings of one size, then the rings of another one.
struct Rings {
    int first_count = 1;
    int first_size = 2;
    int second_count = 0;
    int second_size = 0;

    [[nodiscard]] int count() const noexcept { return first_count + second_count; }
    [[nodiscard]] std::vector<int> sizes() const;
    /// First place and size of the ring that contains a place.
    [[nodiscard]] std::pair<int, int> around(int place) const noexcept;
    /// "2x4+1x3"
    [[nodiscard]] std::string text() const;
    friend bool operator==(Rings const&, Rings const&) = default;
};

inline constexpr int ring_patterns = 6;

/// The rings of a pattern. The standard sizes are 2, 4, 8, max(16, n/4), max(32, n/2) and n. Remaining processes are
/// distributed so that sizes differ by at most one and even sizes come first. \param pattern  1 .. 6 \param n  >= 2
[[nodiscard]] Rings rings(int pattern, int n);

/// A grid of processes in two or three dimensions, with extents in descending order. The third extent of a plane is 1.
struct Grid {
    int dimensions = 2;
    std::array<int, 3> extents{1, 1, 1};
    [[nodiscard]] int size() const noexcept { return extents[0] * extents[1] * extents[2]; }
    /// "3*2*1"
    [[nodiscard]] std::string text() const;
    friend bool operator==(Grid const&, Grid const&) = default;
};

/// The most similar factors of g: the largest one is as small as possible, then the next one.
/// \param dimensions  2 or 3 \param g  >= 1
[[nodiscard]] Grid factors(int dimensions, int g);

/// The grid for n processes. It has g processes, where g is the largest number <= n whose smallest factor exceeds 1, or
/// that is even and below 8, or below 4. The other processes are idle.
[[nodiscard]] Grid grid(int dimensions, int n);

/// One step of a process: the ranks it sends to and receives from; `nobody` if there is none on that side.
struct Exchange {
    int to = -1;
    int from = -1;
    friend bool operator==(Exchange const&, Exchange const&) = default;
};
inline constexpr int nobody = -1;

/// Adds the exchanges with the left neighbour, then with the right one. In a ring of two there is one neighbour and one
/// exchange.
/// \param left, right  ranks of the neighbours in a ring of `size`
void add_ring_exchanges(std::vector<Exchange>& to, int left, int right, int size);

/// Adds the exchanges of a process with its neighbours in one direction of a grid with row-major ranks. The exchange
/// towards lower coordinates comes first.
void add_grid_exchanges(std::vector<Exchange>& to, Grid const& grid, int direction, bool periodic, int rank);

/// Number of messages of all processes in one direction.
[[nodiscard]] long long grid_messages(Grid const& grid, int direction, bool periodic) noexcept;

}  // namespace b_eff
