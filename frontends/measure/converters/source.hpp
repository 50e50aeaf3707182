// SPDX-License-Identifier: BSD-3-Clause
/// Source: lines, numbers and facts about a run, for texts of all formats. Pure, local.
#pragma once

#include <measure/read.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace measure::tool::convert {

/// Facts that the user supplies because the text lacks them.
struct Given {
    std::optional<int> ranks{};
    std::optional<std::string> library{};
    std::optional<std::string> machine{};
    std::optional<std::string> date{};  ///< ISO 8601; the time of day may be missing
};

/// The text of a file.
struct Text {
    std::string_view text{};
    std::string path{};  ///< path of the file, for messages
};

/// A line without spaces at either end.
struct Line {
    int number = 1;
    std::string_view text{};
};

[[nodiscard]] std::vector<Line> lines_of(std::string_view text);

/// The parts between spaces.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

/// The whole text as a number; nullopt if it is not a number.
[[nodiscard]] std::optional<double> number_in(std::string_view text);

/// \throws program::ParseErrors
[[noreturn]] void refuse(Text const& text, int line, std::string why);

/// The numbers of a row, which must have `columns` numbers. \throws program::ParseErrors
[[nodiscard]] std::vector<double> row_numbers(Text const& text, Line const& line, std::size_t columns);

/// The first number with dots in a line: "7.4", "0.1.0". Empty if there is none.
[[nodiscard]] std::string version_in(std::string_view line);

/// Facts of one run that the text states. Empty members are missing in the text.
struct Said {
    int line = 1;  ///< line in which the run begins
    std::string from{};
    std::string title{};
    std::optional<int> ranks{};
    std::string library{};
    std::string machine{};
    std::string started{};  ///< ISO 8601
    measure::Value::Object more{};
};

/// Fills in ranks, library, launch time and machine from the text and from the user. The rest becomes unknown.
/// \throws program::ParseErrors if text and user contradict each other, or the number of ranks is unknown
void complete(measure::Environment& run, Said const& said, Given const& given, Text const& text);

}  // namespace measure::tool::convert
