// SPDX-License-Identifier: BSD-3-Clause
/// Texts: splitting, lists of names, line wrapping, counts with their nouns. Pure and local.
#pragma once

#include "measure/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace measure::detail {

/// Converts ASCII letters to lower case, independent of the locale.
[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string result{text};
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

/// The text without leading and trailing blanks, tabs and carriage returns.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t\r";
    std::size_t const begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The parts between separators; one empty part for an empty text.
[[nodiscard]] inline std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        std::size_t const end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// List of names such as "none, linear or ring".
[[nodiscard]] inline std::string alternatives(std::vector<std::string> const& names) {
    std::string result;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            result += i + 1 == names.size() ? " or " : ", ";
        result += names[i];
    }
    return result;
}

/// A number with its noun: "1 launch", "2 launches".
[[nodiscard]] inline std::string counted(std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// A duration as a user would write it: "10 min", "90 s", "250 ms".
[[nodiscard]] inline std::string duration_text(seconds duration) {
    double const s = duration.count();
    if (s >= 120 || s == 60)
        return fmt::format("{:.4g} min", s / 60);
    if (s >= 1 || s == 0)
        return fmt::format("{:.4g} s", s);
    if (s >= 1e-3)
        return fmt::format("{:.4g} ms", s * 1e3);
    return s >= 1e-6 ? fmt::format("{:.4g} us", s * 1e6) : fmt::format("{:.4g} ns", s * 1e9);
}

/// Appends the entry unless the list contains it.
template <class T>
void add_once(std::vector<T>& list, std::type_identity_t<T> entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end())
        list.push_back(std::move(entry));
}

/// Wraps a text at `width` columns. All lines except the first are indented by `indent` blanks. A word that does not
/// fit gets its own line.
[[nodiscard]] inline std::string wrapped(std::string const& text, std::size_t indent, std::size_t width = 80) {
    std::string result;
    std::size_t column = indent;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find(' ', begin), text.size());
        std::string const word = text.substr(begin, end - begin);
        if (column > indent && column + 1 + word.size() > width) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
        begin = end + 1;
    }
    return result;
}

}  // namespace measure::detail
