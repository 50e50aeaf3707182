// SPDX-License-Identifier: BSD-3-Clause
#include "converters/source.hpp"

#include "analysis/runs/unknown.hpp"
#include "converters/convert.hpp"
#include "program/cli/values.hpp"
#include "program/runtime/files.hpp"

#include <measure/not_known.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace measure::tool::convert {

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    for (int number = 1; !text.empty(); ++number) {
        auto const end = text.find('\n');
        // As in records, a number at the end of an incomplete line may lack digits.
        if (end == std::string_view::npos)
            break;
        lines.push_back({number, program::trimmed(text.substr(0, end))});
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::vector<std::string> words_of(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string> words;
    for (auto begin = line.find_first_not_of(blanks); begin < line.size();) {
        auto const end = std::min(line.find_first_of(blanks, begin), line.size());
        words.emplace_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

std::optional<double> number_in(std::string_view text) {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_whole = error == std::errc{} && end == text.data() + text.size();
    return is_whole && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

void refuse(Text const& text, int line, std::string why) {
    throw program::ParseErrors{{{.file = text.path, .line = line, .text = std::move(why)}}};
}

std::vector<double> row_numbers(Text const& text, Line const& line, std::size_t columns) {
    auto const words = words_of(line.text);
    if (words.size() != columns)
        refuse(text, line.number,
               fmt::format("this row has {} words but its table has {} columns", words.size(), columns));
    std::vector<double> numbers;
    for (auto const& word : words) {
        auto const number = number_in(word);
        if (!number || *number < 0)
            refuse(text, line.number, fmt::format("'{}' is not a valid number", word));
        numbers.push_back(*number);
    }
    return numbers;
}

std::string version_in(std::string_view line) {
    constexpr std::string_view digits = "0123456789";
    for (auto begin = line.find_first_of(digits); begin < line.size();) {
        auto end = std::min(line.find_first_not_of("0123456789.", begin), line.size());
        auto version = line.substr(begin, end - begin);
        while (version.ends_with('.'))
            version.remove_suffix(1);
        if (version.find('.') != std::string_view::npos)
            return std::string{version};
        begin = line.find_first_of(digits, end);
    }
    return {};
}

void complete(measure::Environment& run, Said const& said, Given const& given, Text const& text) {
    auto const known = [&](char const* option, std::string const& in_text, std::optional<std::string> const& other,
                           bool agree) {
        if (other && !in_text.empty() && !agree)
            refuse(text, said.line, fmt::format("{} {}: the text states '{}'", option, *other, in_text));
        return in_text.empty() ? other.value_or("") : in_text;
    };
    if (said.ranks && given.ranks && *said.ranks != *given.ranks)
        refuse(text, said.line, fmt::format("--ranks {}: the text states {} processes", *given.ranks, *said.ranks));
    if (!said.ranks && !given.ranks)
        refuse(text, said.line,
               "the text does not state the number of processes; give --ranks to 'measure convert' or 'measure archive "
               "add'");
    run.ranks = said.ranks ? *said.ranks : *given.ranks;
    auto const library = known("--library", said.library, given.library, said.library == given.library);
    run.mpi_library = library.empty() ? measure::not_named : library;
    run.started = known("--date", said.started, given.date, given.date && said.started.starts_with(*given.date));
    auto const machine = known("--machine", said.machine, given.machine, said.machine == given.machine);
    if (run.timer.name.empty())
        run.timer.name = measure::not_named;
    measure::Value::Object converted{{"from", said.from}};
    if (!said.title.empty())
        converted.emplace_back("title", said.title);
    if (!machine.empty())
        converted.emplace_back("machine", machine);
    converted.insert(converted.end(), said.more.begin(), said.more.end());
    run.more.emplace_back(converted_member, std::move(converted));
}

}  // namespace measure::tool::convert
