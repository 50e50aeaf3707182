// SPDX-License-Identifier: BSD-3-Clause
/// Page: a result as one page: findings, levels, and maps of all pairs.
#pragma once

#include "page/document.hpp"
#include "pairs/shown.hpp"

namespace measure::tool::pairs {

/// Local; rows come one after another. Above 80 nodes a cell of a map is the worst of several pairs.
[[nodiscard]] page::Document page_of(Result const& result, RowOf const& rows);

}  // namespace measure::tool::pairs
