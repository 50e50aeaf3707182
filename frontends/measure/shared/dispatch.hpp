// SPDX-License-Identifier: BSD-3-Clause
/// Dispatch: which command the first words of a command line name, and what is said where they name none. Pure.
#pragma once

#include "program/runtime/main.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool {

struct Dispatched {
    std::optional<program::Suite> suite{};  ///< what runs; nothing: the answer is all
    std::size_t taken = 0;                  ///< words before the suite's words
    std::size_t moved = 0;                  ///< of the suite's words, those that precede the last word of its name
    int code = 0;                           ///< of the answer; 2: it is an error line
    std::string answer{};
};

/// \param words  without the program's name  \param exists  whether a word is the path of a file
[[nodiscard]] Dispatched dispatched(std::vector<std::string> const& words,
                                    std::function<bool(std::string_view)> const& exists);

}  // namespace measure::tool
