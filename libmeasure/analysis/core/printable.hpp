// SPDX-License-Identifier: BSD-3-Clause
/// Printable: makes arbitrary text safe to show in a terminal. Pure and local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace measure::detail {

/// Whether a character is a control character (C0, DEL, C1), which terminals interpret.
[[nodiscard]] inline bool is_control_character(std::string_view character) noexcept {
    auto const first = static_cast<unsigned char>(character[0]);
    return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

[[nodiscard]] inline std::string escaped(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (c) {
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        auto const value = static_cast<unsigned char>(c);
        return {'\\', 'x', digits[value / 16], digits[value % 16]};
    }
}

/// Number of bytes of the UTF-8 character at the start of a non-empty text; 0 if it is invalid. Rejects overlong forms,
/// surrogates and values above U+10FFFF.
[[nodiscard]] inline std::size_t utf8_size(std::string_view text) noexcept {
    auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    auto const between = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
    auto const follows = [&](std::size_t i) { return between(i, 0x80, 0xbf); };
    unsigned const first = byte(0);
    if (first < 0x80)
        return 1;
    if (between(0, 0xc2, 0xdf))
        return follows(1) ? 2 : 0;
    if (between(0, 0xe0, 0xef))
        return between(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
    if (between(0, 0xf0, 0xf4))
        return between(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
    return 0;
}

/// \param instead  called with each control character and each byte that is not UTF-8
template <class Instead>
[[nodiscard]] std::string replaced(std::string_view text, Instead const& instead) {
    std::string result;
    while (!text.empty()) {
        std::size_t const size = utf8_size(text);
        auto const character = text.substr(0, std::max<std::size_t>(size, 1));
        if (size > 0 && !is_control_character(character))
            result += character;
        else
            result += instead(character);
        text.remove_prefix(character.size());
    }
    return result;
}

/// Text that is safe to show: control characters (C0, DEL, C1) and bytes that are not UTF-8 become \n, \t, \r or \x1b;
/// everything else is unchanged.
[[nodiscard]] inline std::string printable(std::string_view text) {
    return replaced(text, [](std::string_view character) {
        std::string all;
        for (char const c : character)
            all += escaped(c);
        return all;
    });
}

/// As `printable`, but with '?' for each such character, so that columns keep their width.
[[nodiscard]] inline std::string masked(std::string_view text) {
    return replaced(text, [](std::string_view) { return "?"; });
}

}  // namespace measure::detail
