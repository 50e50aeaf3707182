// SPDX-License-Identifier: BSD-3-Clause
/// Shown: the rows of all nodes, one after another, as far as what shows them asks for.
#pragma once

#include "pairs/result.hpp"

#include <measure/comm.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace measure::tool::pairs {

/// One quantity of one tournament.
struct Part {
    std::size_t tournament = 0;
    Metric quantity = Metric::latency;  ///< one that is measured
};

/// What a node has of a part: [node], or empty where it is not judged.
struct ShownRow {
    std::vector<PairValues> values{};  ///< of this quantity alone
    std::vector<double> logs{};
    std::vector<double> residuals{};
    std::vector<double> reference{};
};

/// The row of any node.
using RowOf = std::function<ShownRow(Part const& part, int node)>;

/// From the rows that this process has: of an own node. Refers to the result.
[[nodiscard]] RowOf own_rows(Result const& result);

/// Calls `show` on the root with all rows; whose node it is sends one each time that the root asks. The root holds no
/// more than one. Collective: all ranks wait until it has shown them. \throws on the root what `show` throws
void show_rows(measure::Comm const& world, Result const& result, std::function<void(RowOf const&)> const& show);

}  // namespace measure::tool::pairs
