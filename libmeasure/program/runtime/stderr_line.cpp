// SPDX-License-Identifier: BSD-3-Clause
#include "program/runtime/stderr_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace program {

namespace {

/// C0, DEL and C1, which terminals obey.
bool is_control(std::string_view character) noexcept {
    auto const first = static_cast<unsigned char>(character[0]);
    return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

std::string escaped(char c) {
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

}  // namespace

std::size_t utf8_size(std::string_view text) noexcept {
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

namespace {

/// \param instead  called with each character that a terminal would obey, and each byte that is no UTF-8
template <class Instead>
std::string replaced(std::string_view text, Instead const& instead) {
    std::string result;
    while (!text.empty()) {
        std::size_t const size = utf8_size(text);
        auto const character = text.substr(0, std::max<std::size_t>(size, 1));
        if (size > 0 && !is_control(character))
            result += character;
        else
            result += instead(character);
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace

std::string printable(std::string_view text) {
    return replaced(text, [](std::string_view character) {
        std::string all;
        for (char const c : character)
            all += escaped(c);
        return all;
    });
}

std::string masked(std::string_view text) {
    return replaced(text, [](std::string_view) { return "?"; });
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void stderr_line(std::string_view line) { stderr_text(printable(line) + '\n'); }

void stderr_text(std::string_view text) {
    for (std::size_t done = 0; done < text.size();) {
        ssize_t const n = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        done += static_cast<std::size_t>(n);
    }
}

}  // namespace program
