// SPDX-License-Identifier: BSD-3-Clause
/// Team: the active processes of a benchmark, in one group or in several concurrent groups.
#pragma once

#include <measure/comm.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pmb {

/// Assigns the processes of a world to groups. Pure.
struct Grouping {
    int processes = 1;  ///< processes of each group
    int groups = 1;
    int world = 1;
    std::vector<int> order{};  ///< world ranks in the order in which groups take them; empty: in rank order

    /// \param multi  makes as many groups as possible
    [[nodiscard]] static Grouping of(int world, int processes, bool multi, std::vector<int> order = {}) {
        return {processes, multi ? world / processes : 1, world, std::move(order)};
    }
    /// Group of a process of the world; -1 if it is idle.
    [[nodiscard]] int group_of(int rank) const noexcept {
        auto const found = std::find(order.begin(), order.end(), rank);
        auto const place = order.empty() ? rank : static_cast<int>(found - order.begin());
        return place < groups * processes ? place / processes : -1;
    }
    [[nodiscard]] int idle() const noexcept { return world - groups * processes; }
    /// World ranks of each group.
    [[nodiscard]] std::vector<std::vector<int>> members() const {
        std::vector<std::vector<int>> all(static_cast<std::size_t>(groups),
                                          std::vector<int>(static_cast<std::size_t>(processes)));
        int next = 0;
        for (auto& group : all)
            for (int& rank : group) {
                rank = order.empty() ? next : order[static_cast<std::size_t>(next)];
                ++next;
            }
        return all;
    }
};

}  // namespace pmb
