// SPDX-License-Identifier: BSD-3-Clause
/// Names on command lines: case-insensitive choice from a list.
#pragma once

#include "core/text.hpp"
#include "measure/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <string_view>

namespace measure::detail {

/// Index of the name in the list, case-insensitive. \throws UsageError "unknown KIND 'NAME'; known: A, B"
[[nodiscard]] inline std::size_t index_of(std::string_view kind, std::string_view name,
                                          std::span<std::string_view const> names) {
    auto const wanted = lower(name);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == wanted)
            return i;
    throw UsageError(fmt::format("unknown {} '{}'; known: {}", kind, name, fmt::join(names, ", ")));
}

}  // namespace measure::detail
