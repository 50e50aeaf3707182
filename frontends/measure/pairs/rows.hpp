// SPDX-License-Identifier: BSD-3-Clause
/// Rows: values of pairs, stored as the rows of a matrix. Each process has the rows of some nodes. Local.
#pragma once

#include "pairs/tournament.hpp"

#include <span>
#include <vector>

namespace measure::tool::pairs {

/// The nodes whose rows a process has: at most one in a run, all when it reads the records of other runs.
struct Share {
    int nodes = 0;  ///< number of nodes of all processes
    int first = 0;  ///< first node of this process
    int count = 0;  ///< number of nodes of this process

    [[nodiscard]] static Share all(int nodes) noexcept { return {nodes, 0, nodes}; }
    /// \param node  node of this process, or -1 for none
    [[nodiscard]] static Share one(int nodes, int node) noexcept {
        return node < 0 ? Share{nodes, 0, 0} : Share{nodes, node, 1};
    }
    [[nodiscard]] bool has(int node) const noexcept { return node >= first && node < first + count; }
};

/// Values of each own node with each node: [count][nodes]. The rows of both nodes of a pair have its value. The value
/// of a node with itself is meaningless.
template <class T>
class Rows {
public:
    Rows() = default;
    explicit Rows(Share share, T const& value = {})
        : share_{share}, values_(index(share.count) * index(share.nodes), value) {}

    [[nodiscard]] Share const& share() const noexcept { return share_; }
    /// \param i  own node
    [[nodiscard]] T& at(int i, int j) { return values_[place(i, j)]; }
    [[nodiscard]] T const& at(int i, int j) const { return values_[place(i, j)]; }
    /// Values of one row, by node. \param i  own node
    [[nodiscard]] std::span<T const> row(int i) const {
        return std::span{values_}.subspan(place(i, 0), index(share_.nodes));
    }

    /// Calls f(i, j, value) for each own node i and each other node j, row by row.
    template <class F>
    void for_each_way(F f) const {
        for (int i = share_.first; i < share_.first + share_.count; ++i)
            for (int j = 0; j < share_.nodes; ++j)
                if (j != i)
                    f(i, j, at(i, j));
    }
    /// The same for i < j only, so that all processes together visit each pair once.
    template <class F>
    void for_each(F f) const {
        for (int i = share_.first; i < share_.first + share_.count; ++i)
            for (int j = i + 1; j < share_.nodes; ++j)
                f(i, j, at(i, j));
    }

private:
    [[nodiscard]] std::size_t place(int i, int j) const noexcept {
        return index(i - share_.first) * index(share_.nodes) + index(j);
    }
    Share share_{};
    std::vector<T> values_{};
};

}  // namespace measure::tool::pairs
