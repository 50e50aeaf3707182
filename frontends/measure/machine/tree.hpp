// SPDX-License-Identifier: BSD-3-Clause
/// Processing units by the files in which a system tells about itself.
#pragma once

#include "program/runtime/tree.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace measure::tool::machine {

using program::field;
using program::Tree;

/// "0-2,8" as numbers, ascending; parts that are no numbers are left out.
[[nodiscard]] std::vector<int> numbers_in(std::string_view list);

/// The processing unit that this process is on.
[[nodiscard]] std::optional<int> current_unit(Tree const& tree);

}  // namespace measure::tool::machine
