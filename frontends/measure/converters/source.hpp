// SPDX-License-Identifier: BSD-3-Clause
/// Source: lines, numbers and facts of a run, in texts of all formats. Pure, local.
#pragma once

#include <measure/read.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::convert {

/// Facts that the user gives because the text lacks them.
struct Given {
    std::optional<int> ranks{};
    std::optional<std::string> library{};
    std::optional<std::string> machine{};
    std::optional<std::string> date{};  ///< ISO 8601, the day alone too
};

/// The text of a file.
struct Text {
    std::string_view text{};
    std::string path{};  ///< for messages
};

/// A line, without the blanks at both ends.
struct Line {
    int number = 1;
    std::string_view text{};
};

[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

/// The parts between blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

/// A whole text as a number; nothing for another text.
[[nodiscard]] std::optional<double> number_in(std::string_view text);

/// \throws program::ParseErrors
[[noreturn]] void refuse(Text const& text, int line, std::string why);

/// A row's numbers, as many as the table has columns. \throws program::ParseErrors
[[nodiscard]] std::vector<double> row_numbers(Text const& text, Line const& line, std::size_t columns);

/// The first number with dots in a line: "7.4", "0.1.0". Empty: none.
[[nodiscard]] std::string version_in(std::string_view line);

/// The facts of one run in a text; empty: the text lacks them.
struct Said {
    int line = 1;  ///< that it begins in
    std::string from{};
    std::string title{};
    std::optional<int> ranks{};
    std::string library{};
    std::string machine{};
    std::string started{};  ///< ISO 8601
    measure::Value::Object more{};
};

/// Fills in ranks, library, start and machine from the text and from the user, and the rest as unknown.
/// \throws program::ParseErrors where text and user contradict each other, and where neither has a number of ranks
void complete(measure::Environment& run, Said const& said, Given const& given, Text const& text);

}  // namespace measure::tool::convert
