// SPDX-License-Identifier: BSD-3-Clause
/// Settings: variables of the environment by which a library is told what to choose. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace measure_tool::tune {

/// Names and values.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Under which a collective runs by an algorithm.
[[nodiscard]] Settings forcing(std::string_view collective, std::string_view algorithm);

/// Under which a file of choices is in force.
[[nodiscard]] Settings of_file(std::string const& path);

/// Whether a variable chooses algorithms, so that nothing else may be chosen beside it.
[[nodiscard]] bool chooses(std::string_view name) noexcept;

}  // namespace measure_tool::tune
