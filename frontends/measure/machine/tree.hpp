// SPDX-License-Identifier: BSD-3-Clause
/// Tree: processing units, from /proc and /sys.
#pragma once

#include "program/runtime/tree.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace measure::tool::machine {

using program::field;
using program::Tree;

/// Parses "0-2,8" to numbers, ascending. Parts that are not numbers are ignored.
[[nodiscard]] std::vector<int> numbers_in(std::string_view list);

/// The processing unit that this process runs on.
[[nodiscard]] std::optional<int> current_unit(Tree const& tree);

}  // namespace measure::tool::machine
