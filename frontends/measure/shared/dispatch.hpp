// SPDX-License-Identifier: BSD-3-Clause
/// Dispatch: finds the command that the first words of a command line name, or the answer if they name none. Pure.
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
    std::optional<program::Suite> suite{};  ///< command to run; nothing: print the answer
    std::size_t taken = 0;                  ///< number of words before the words of the suite
    std::size_t moved = 0;                  ///< number of the suite's words that precede the last word of its name
    int code = 0;                           ///< exit code for the answer; 2: the answer is an error
    std::string answer{};                   ///< text to print: the overview, the version or an error
};

/// \param words  command line without the program's name  \param exists  whether a word is the path of a file
[[nodiscard]] Dispatched dispatched(std::vector<std::string> const& words,
                                    std::function<bool(std::string_view)> const& exists);

}  // namespace measure::tool
