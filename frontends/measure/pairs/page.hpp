// SPDX-License-Identifier: BSD-3-Clause
/// Page: a result as one HTML page with findings, times of the classes, and maps of all pairs.
#pragma once

#include "page/document.hpp"
#include "pairs/shown.hpp"

namespace measure::tool::pairs {

/// Local; rows are fetched one after another. With more than 80 nodes a cell of a map shows the worst of several pairs.
[[nodiscard]] page::Document page_of(Result const& result, RowOf const& rows);

}  // namespace measure::tool::pairs
