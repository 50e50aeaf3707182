// SPDX-License-Identifier: BSD-3-Clause
/// Scanner: reads the text of a parameter file, tracks the position and collects errors. Used by `grammar` only.
#pragma once

#include "program/cli/values.hpp"
#include "skampi/parameters/grammar.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skampi::grammar {

constexpr bool is_letter(char c) noexcept { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_key_char(char c) noexcept { return is_letter(c) || c == '_'; }
constexpr bool is_name_char(char c) noexcept {
    return is_key_char(c) || is_digit(c) || c == '.' || c == '+' || c == '-';
}
/// Accepts everything that can appear without quotes. A later step refuses text that is neither a number nor a word.
constexpr bool is_value_char(char c) noexcept { return is_name_char(c) || c == ':' || c == '/'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Number of leading characters of the given kind.
template <class Is>
[[nodiscard]] std::size_t length_of(std::string_view text, Is is) {
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is) - text.begin());
}

class Scanner {
public:
    /// Skips a byte-order mark. \param path  name of the file in error messages; must outlive the scanner
    Scanner(std::string_view text, std::string const& path);

    /// Returns false and records an error if the file contains a zero byte.
    [[nodiscard]] bool is_text();

    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    [[nodiscard]] char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    [[nodiscard]] Place place() const { return {line_, static_cast<int>(at_ - line_begin_) + 1}; }

    void step() {
        if (text_[at_++] == '\n') {
            ++line_;
            line_begin_ = at_;
        }
    }
    bool accept(char c) {
        if (peek() != c)
            return false;
        step();
        return true;
    }
    /// Takes leading characters of the given kind, which must not include line ends.
    template <class Is>
    std::string_view take(Is is) {
        std::string_view const taken = rest().substr(0, length_of(rest(), is));
        at_ += taken.size();
        return taken;
    }
    std::string_view take_line() {
        return take([](char c) { return c != '\n'; });
    }
    /// Skips blanks, line ends and comments.
    void skip_space() {
        while (!at_end())
            if (peek() == '#')
                take_line();
            else if (is_blank(peek()) || peek() == '\n')
                step();
            else
                break;
    }
    [[nodiscard]] bool is_first_in_line() const {
        return program::trimmed(text_.substr(line_begin_, at_ - line_begin_)).empty();
    }

    /// Reads a number, a word or a string. Without one, records an error and returns nothing.
    [[nodiscard]] std::optional<Value> read_value();
    /// Reads a string from its opening quote.
    [[nodiscard]] std::optional<std::string> read_string();

    /// Continues after the next ';' or '}', or at a line that begins with '@'. \returns false if a '}' was passed
    [[nodiscard]] bool recover();
    /// Like `recover`, but stops at a '{'. \returns true at a '{'
    [[nodiscard]] bool recover_to_brace();

    void fault(Place where, std::string text) { faults_.push_back({path_, where.line, where.column, std::move(text)}); }
    /// Records an error at the current position: "expected X, found Y".
    void expected(std::string_view what);
    /// Describes the text at the current position, for messages.
    [[nodiscard]] std::string found() const;
    [[nodiscard]] std::vector<program::ParseError> take_faults() { return std::exchange(faults_, {}); }

private:
    void skip_string();

    std::string_view text_;
    std::string const& path_;
    std::vector<program::ParseError> faults_{};
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    int line_ = 1;
};

}  // namespace skampi::grammar
