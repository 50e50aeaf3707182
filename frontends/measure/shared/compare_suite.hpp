// SPDX-License-Identifier: BSD-3-Clause
/// Compare suite: `measure compare` for different inputs: files, or runs of an archive.
#pragma once

#include "program/runtime/main.hpp"

#include <functional>
#include <string>

namespace measure::tool {

struct CompareInput {
    std::string program{};
    std::string summary{};
    std::string words{};  ///< name of the arguments in the help
    /// Declares the additional options of the input.
    std::function<void(program::Parser&)> declare{};
    /// The content of the record file that an argument names.
    std::function<std::string(std::string const& word)> text_of{};
    /// The file that contains all records, and must not be overwritten by results; empty if the arguments are files.
    std::function<std::string()> holder{};
};

[[nodiscard]] program::Suite compare_suite(CompareInput input);

}  // namespace measure::tool
