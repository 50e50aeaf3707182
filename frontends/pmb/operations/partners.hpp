// SPDX-License-Identifier: BSD-3-Clause
/// Partners: who exchanges messages with whom where neither pairs of two processes nor a ring say it. Pure, no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pmb {

/// IMB's random numbers, so that the same partners meet.
class Draw {
public:
    /// In [0, below). \param below  >= 1
    [[nodiscard]] int operator()(int below) noexcept;

private:
    std::uint64_t state_ = 0;
};

/// Two different processes out of `processes` >= 2: who begins, and who answers.
[[nodiscard]] std::pair<int, int> drawn_pair(Draw& draw, int processes) noexcept;

/// A message out, a message in, or both; -1: none.
struct Step {
    int to = -1;
    int from = -1;
    friend bool operator==(Step const&, Step const&) = default;
};

/// What a process does while `pairs` pairs are drawn one after the other. \param both_ways  both send, otherwise the
/// one who begins
[[nodiscard]] std::vector<Step> drawn_steps(int rank, int processes, std::int64_t pairs, bool both_ways);

/// What a process does on rings in an order that is shuffled before each of them.
[[nodiscard]] std::vector<Step> ring_steps(int rank, int processes, std::int64_t rings);

/// Sides of a grid of all processes, nearly equal, the fastest one last, each at least 2; empty where there is none.
/// \param dimensions  2 or 3
[[nodiscard]] std::vector<int> sides(int processes, int dimensions);

/// Neighbours in a periodic grid, along the fastest side first, below before above.
[[nodiscard]] std::vector<int> grid_neighbours(int rank, std::vector<int> const& sides);

/// A process of a pair whose ranks are a stride apart.
struct StridePair {
    bool first = false;
    int peer = 0;
    friend bool operator==(StridePair const&, StridePair const&) = default;
};

/// The stride that pairs both halves of the processes: 0 stands for it.
[[nodiscard]] int resolved_stride(int stride, int processes) noexcept;

/// Groups of `stride` ranks in turn: one and the next are pairs. Nothing where a process has no partner; where the
/// stride is more than half of the processes nobody has one. \param stride  resolved
[[nodiscard]] std::optional<StridePair> stride_pair(int rank, int processes, int stride) noexcept;

}  // namespace pmb
