// SPDX-License-Identifier: BSD-3-Clause
/// Rows: values of pairs, in the rows of their nodes, of which each process has some. Local.
#pragma once

#include "pairs/tournament.hpp"

#include <span>
#include <vector>

namespace measure::tool::pairs {

/// The nodes whose rows a process has: one or none in a run, all where it looks alone at what others have measured.
struct Share {
    int nodes = 0;  ///< of all processes
    int first = 0;
    int count = 0;  ///< from the first on

    [[nodiscard]] static Share all(int nodes) noexcept { return {nodes, 0, nodes}; }
    /// \param node  -1: none
    [[nodiscard]] static Share one(int nodes, int node) noexcept {
        return node < 0 ? Share{nodes, 0, 0} : Share{nodes, node, 1};
    }
    [[nodiscard]] bool has(int node) const noexcept { return node >= first && node < first + count; }
};

/// What each own node has of each node: [count][nodes]. Both nodes of a pair have its value. That of a node with itself
/// means nothing.
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
    /// [node] \param i  own node
    [[nodiscard]] std::span<T const> row(int i) const {
        return std::span{values_}.subspan(place(i, 0), index(share_.nodes));
    }

    /// f(i, j, value) of each own node with each other one, row by row.
    template <class F>
    void for_each_way(F f) const {
        for (int i = share_.first; i < share_.first + share_.count; ++i)
            for (int j = 0; j < share_.nodes; ++j)
                if (j != i)
                    f(i, j, at(i, j));
    }
    /// The same with i < j: of all processes together each pair once.
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
