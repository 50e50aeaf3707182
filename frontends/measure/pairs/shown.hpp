// SPDX-License-Identifier: BSD-3-Clause
/// Shown: fetches the rows of all nodes one after another, on demand of the reports.
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
    Metric quantity = Metric::latency;  ///< latency or bandwidth
};

/// The row of a node in a part: [node]. The last three lists are empty if the part is not judged.
struct ShownRow {
    std::vector<PairValues> values{};  ///< values of this quantity only
    std::vector<double> logs{};
    std::vector<double> residuals{};
    std::vector<double> reference{};
};

/// The row of any node.
using RowOf = std::function<ShownRow(Part const& part, int node)>;

/// Reads rows of own nodes from the result. Refers to the result.
[[nodiscard]] RowOf own_rows(Result const& result);

/// Calls `show` on the root with access to all rows. Each requested row is sent by the rank of its node, so the root
/// never holds more than one. Collective: all ranks wait until `show` returns. \throws on the root what `show` throws
void show_rows(measure::Comm const& world, Result const& result, std::function<void(RowOf const&)> const& show);

}  // namespace measure::tool::pairs
