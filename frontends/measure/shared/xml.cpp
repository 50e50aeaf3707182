// SPDX-License-Identifier: BSD-3-Clause
#include "shared/xml.hpp"

#include "program/runtime/stderr_line.hpp"

#include <algorithm>
#include <cstddef>

namespace measure::tool {

std::string xml_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        auto const size = program::utf8_size(text);
        auto const character = text.substr(0, std::max<std::size_t>(size, 1));
        text.remove_prefix(character.size());
        auto const c = static_cast<unsigned char>(character.front());
        if (size == 0 || character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF") {
            result += '?';
        } else if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else if (c == '\n' || c == '\t' || c == '\r') {
            result += ' ';
        } else if (c < ' ' || c == 127) {
            result += '?';
        } else {
            result += character;
        }
    }
    return result;
}

}  // namespace measure::tool
