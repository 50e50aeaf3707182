// SPDX-License-Identifier: BSD-3-Clause
#include "skampi/parameters/scanner.hpp"

#include <fmt/format.h>

#include <charconv>

namespace skampi::grammar {
namespace {

/// Length of the number at the beginning of the text, or 0 without a number.
std::size_t length_of_number(std::string_view text) {
    std::size_t const sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    std::string_view const digits = text.substr(sign);
    if (digits.empty() || !(is_digit(digits[0]) || digits[0] == '.'))
        return 0;
    double value = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc::invalid_argument ? 0 : sign + static_cast<std::size_t>(end - digits.data());
}

/// Converts a text without blanks to a number or a word. Returns nothing if it is neither.
std::optional<Value> plain_value(std::string_view text, Place place) {
    if (std::size_t const length = length_of_number(text); length > 0) {
        std::string_view const unit = text.substr(length);
        if (length_of(unit, is_letter) != unit.size())
            return std::nullopt;
        std::string_view const number = text.substr(text[0] == '+' ? 1 : 0, length - (text[0] == '+' ? 1 : 0));
        return Value{Value::Kind::number, std::string{number}, std::string{unit}, place};
    }
    if (text.empty() || !is_key_char(text[0]) || length_of(text, is_value_char) != text.size())
        return std::nullopt;
    return Value{Value::Kind::word, std::string{text}, "", place};
}

}  // namespace

Scanner::Scanner(std::string_view text, std::string const& path) : text_{text}, path_{path} {
    if (text_.starts_with("\xEF\xBB\xBF"))
        text_.remove_prefix(3);
}

bool Scanner::is_text() {
    std::size_t const zero = text_.find('\0');
    if (zero == std::string_view::npos)
        return true;
    while (at_ < zero)
        step();
    fault(place(), "found a zero byte: this is not a text file");
    return false;
}

void Scanner::expected(std::string_view what) { fault(place(), fmt::format("expected {}, found {}", what, found())); }

std::string Scanner::found() const {
    if (at_end())
        return "the end of the file";
    std::size_t const length = length_of(rest(), is_value_char);
    return quoted(rest().substr(0, std::max<std::size_t>(length, 1)));
}

std::optional<Value> Scanner::read_value() {
    Place const begin = place();
    if (peek() == '"') {
        auto text = read_string();
        return text ? std::optional<Value>{{Value::Kind::string, *std::move(text), "", begin}} : std::nullopt;
    }
    std::string_view const text = take(is_value_char);
    if (text.empty()) {
        expected("a value");
        return std::nullopt;
    }
    auto value = plain_value(text, begin);
    if (!value)
        fault(begin, fmt::format("{} is neither a number, a word nor a string", quoted(text)));
    return value;
}

std::optional<std::string> Scanner::read_string() {
    Place const begin = place();
    std::string_view const line = rest().substr(1, length_of(rest().substr(1), [](char c) { return c != '\n'; }));
    std::size_t const end = line.find('"');
    at_ += end == std::string_view::npos ? 1 : end + 2;
    if (end != std::string_view::npos)
        return std::string{line.substr(0, end)};
    fault(begin, "this string has no closing quote in its line");
    return std::nullopt;
}

void Scanner::skip_string() {
    std::size_t const end = rest().find_first_of("\"\n", 1);
    at_ += end == std::string_view::npos || rest()[end] == '\n' ? 1 : end + 1;
}

bool Scanner::recover() {
    for (skip_space(); !at_end() && !(peek() == '@' && is_first_in_line()); skip_space()) {
        if (peek() == '"') {
            skip_string();
            continue;
        }
        char const c = peek();
        step();
        if (c == ';' || c == '}')
            return c == ';';
    }
    return true;
}

bool Scanner::recover_to_brace() {
    for (skip_space(); !at_end() && !(peek() == '@' && is_first_in_line()); skip_space()) {
        char const c = peek();
        if (c == '{')
            return true;
        step();
        if (c == ';' || c == '}')
            return false;
    }
    return false;
}

std::string shown(std::string_view text) {
    constexpr std::size_t most = 40;
    std::string result{text.substr(0, most)};
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.size() > most ? result + "..." : result;
}

std::string quoted(std::string_view text) { return fmt::format("'{}'", shown(text)); }

}  // namespace skampi::grammar
