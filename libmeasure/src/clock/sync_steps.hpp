// SPDX-License-Identifier: BSD-3-Clause
/// Order of the pairs in a synchronisation, computed from the rank and the number of ranks.
#pragma once

#include <vector>

namespace measure::detail {

/// One exchange of a rank with a peer.
struct SyncStep {
    int peer;
    bool asks;  ///< true: this rank is the client; false: it is the server
    bool operator==(SyncStep const&) const = default;
};

/// The root serves one rank after the other.
[[nodiscard]] inline std::vector<SyncStep> linear_steps(int rank, int n) {
    if (rank != 0)
        return {{0, true}};
    std::vector<SyncStep> steps;
    for (int i = 1; i < n; ++i)
        steps.push_back({i, false});
    return steps;
}

/// Each rank is the client of its left neighbour. Even ranks serve first, which prevents deadlock.
[[nodiscard]] inline std::vector<SyncStep> ring_steps(int rank, int n) {
    if (n == 1)
        return {};
    SyncStep const serve{(rank + 1) % n, false};
    SyncStep const ask{(rank - 1 + n) % n, true};
    return rank % 2 == 0 ? std::vector{serve, ask} : std::vector{ask, serve};
}

/// Binomial tree, parents before children, so that a parent answers with root time. Within the largest power of two of
/// ranks, the distance halves in each round; the remaining ranks follow in a last round. O(log n) rounds.
[[nodiscard]] inline std::vector<SyncStep> tree_steps(int rank, int n) {
    int m = 1;
    while (m <= n / 2)
        m *= 2;
    std::vector<SyncStep> steps;
    if (rank >= m)
        return {{rank - m, true}};
    for (int step = m / 2; step >= 1; step /= 2) {
        if (rank % (2 * step) == 0)
            steps.push_back({rank + step, false});
        else if (rank % (2 * step) == step)
            steps.push_back({rank - step, true});
    }
    if (rank + m < n)
        steps.push_back({rank + m, false});
    return steps;
}

}  // namespace measure::detail
