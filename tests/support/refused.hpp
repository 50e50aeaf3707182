// SPDX-License-Identifier: BSD-3-Clause
/// Checks whether a program refuses or accepts command lines, without starting it: see `program::checked`.
#pragma once

#include "program/runtime/main.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Splits a line at blanks into words; '' is an empty word.
inline std::vector<std::string> words_of(std::string_view line) {
    std::istringstream in{std::string{line}};
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word == "''" ? std::string{} : word);
    return words;
}

/// Expects one error line with these texts, and exit code 2.
inline void refuses(program::Suite const& suite, std::vector<std::string> const& words,
                    std::initializer_list<std::string_view> says, program::Supposed const& supposed = {}) {
    CAPTURE(suite.program, words);
    auto const [code, text] = program::checked(suite, words, supposed);
    CHECK(code == 2);
    CHECK(std::count(text.begin(), text.end(), '\n') == 1);
    CHECK_THAT(text, Catch::Matchers::StartsWith(suite.program + ": "));
    CHECK_THAT(text, Catch::Matchers::ContainsSubstring(": error: "));
    for (auto const part : says)
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring(std::string{part}));
}
inline void refuses(program::Suite const& suite, std::string_view line, std::initializer_list<std::string_view> says,
                    program::Supposed const& supposed = {}) {
    refuses(suite, words_of(line), says, supposed);
}

inline void accepts(program::Suite const& suite, std::string_view line, program::Supposed const& supposed = {}) {
    auto const [code, text] = program::checked(suite, words_of(line), supposed);
    CAPTURE(suite.program, line, text);
    CHECK(code == 0);
}
