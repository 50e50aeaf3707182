// SPDX-License-Identifier: BSD-3-Clause
/// Page: a result as one page: findings, levels, and maps of all pairs.
#pragma once

#include "page/document.hpp"
#include "pairs/result.hpp"

namespace measure_tool::pairs {

/// Pure. Above 80 nodes a cell of a map is the worst of several pairs.
[[nodiscard]] page::Document page_of(Result const& result);

}  // namespace measure_tool::pairs
