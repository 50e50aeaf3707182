// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/main.hpp"

#include "shared/dispatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace {

/// Whether the word is the path of an existing file that is not a folder.
bool is_file(std::string_view word) {
    std::error_code none;
    auto const status = std::filesystem::status(word, none);
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

}  // namespace

int main(int argc, char** argv) {
    auto const chosen = measure::tool::dispatched({argv + std::min(argc, 1), argv + argc}, is_file);
    if (chosen.suite) {
        // The last word of the suite's name becomes argv[0] of the suite.
        auto** const words = argv + chosen.taken;
        std::rotate(words, words + chosen.moved, words + chosen.moved + 1);
        return program::run_main(argc - static_cast<int>(chosen.taken), words, *chosen.suite);
    }
    fmt::print(chosen.code == 0 ? stdout : stderr, "{}", chosen.answer);
    return chosen.code;
}
