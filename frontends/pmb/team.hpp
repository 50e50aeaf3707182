// SPDX-License-Identifier: BSD-3-Clause
/// Team: the active processes of a run of a benchmark, in one group or in several at once.
#pragma once

#include <measure/comm.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pmb {

/// Which processes of a world are active. Pure.
struct Grouping {
    int processes = 1;  ///< of each group
    int groups = 1;
    int world = 1;
    std::vector<int> order{};  ///< world ranks as they are taken; empty: in their own order

    /// \param multi  as many groups as there is room for
    [[nodiscard]] static Grouping of(int world, int processes, bool multi, std::vector<int> order = {}) {
        return {processes, multi ? world / processes : 1, world, std::move(order)};
    }
    /// Group of a process of the world, -1 where it is idle.
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
