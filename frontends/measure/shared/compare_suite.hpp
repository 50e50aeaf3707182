// SPDX-License-Identifier: BSD-3-Clause
/// Compare as a program, whatever its inputs are: files, or runs of an archive.
#pragma once

#include "program/runtime/main.hpp"

#include <functional>
#include <string>

namespace measure::tool {

struct CompareInput {
    std::string program{};
    std::string summary{};
    std::string words{};  ///< what the arguments are, for the help
    /// Declares options of the input's own.
    std::function<void(program::Parser&)> declare{};
    /// The record file that an argument means.
    std::function<std::string(std::string const& word)> text_of{};
    /// The file that holds all record files, which is no place for results; empty where arguments are files themselves.
    std::function<std::string()> holder{};
};

[[nodiscard]] program::Suite compare_suite(CompareInput input);

}  // namespace measure::tool
