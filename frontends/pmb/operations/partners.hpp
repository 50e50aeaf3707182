// SPDX-License-Identifier: BSD-3-Clause
/// Partners: chooses communication partners where they are neither fixed pairs nor a fixed ring. Pure, no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pmb {

/// IMB's random number generator, so that the same partners meet as in IMB.
class Draw {
public:
    /// A number in [0, below). \param below  >= 1
    [[nodiscard]] int operator()(int below) noexcept;

private:
    std::uint64_t state_ = 0;
};

/// Two different processes out of `processes` >= 2: the first one begins, the second one answers.
[[nodiscard]] std::pair<int, int> drawn_pair(Draw& draw, int processes) noexcept;

/// A message sent, a message received, or both; -1: no message.
struct Step {
    int to = -1;
    int from = -1;
    friend bool operator==(Step const&, Step const&) = default;
};

/// The steps of a process while `pairs` pairs are drawn one after another. \param both_ways  both send; otherwise only
/// the first one
[[nodiscard]] std::vector<Step> drawn_steps(int rank, int processes, std::int64_t pairs, bool both_ways);

/// The steps of a process on rings whose order is shuffled before each ring.
[[nodiscard]] std::vector<Step> ring_steps(int rank, int processes, std::int64_t rings);

/// Sides of a grid of all processes: nearly equal, the fastest varying one last, each at least 2. Empty if there is no
/// such grid. \param dimensions  2 or 3
[[nodiscard]] std::vector<int> sides(int processes, int dimensions);

/// Neighbours in a periodic grid, along the fastest varying side first, the lower one before the upper one.
[[nodiscard]] std::vector<int> grid_neighbours(int rank, std::vector<int> const& sides);

/// A process in a pair whose ranks are a stride apart.
struct StridePair {
    bool first = false;
    int peer = 0;
    friend bool operator==(StridePair const&, StridePair const&) = default;
};

/// Replaces 0 by the stride that pairs both halves of the processes.
[[nodiscard]] int resolved_stride(int stride, int processes) noexcept;

/// Pairs each group of `stride` ranks with the next group. No value if the process has no partner; if the stride
/// exceeds half of the processes, no process has one. \param stride  resolved
[[nodiscard]] std::optional<StridePair> stride_pair(int rank, int processes, int stride) noexcept;

}  // namespace pmb
