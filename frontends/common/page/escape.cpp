// SPDX-License-Identifier: BSD-3-Clause
#include "page/escape.hpp"

#include "analysis/core/printable.hpp"

#include <algorithm>
#include <cstddef>

namespace page {

std::string html_escaped(std::string_view text) {
    std::string escaped;
    while (!text.empty()) {
        std::size_t const length = measure::detail::utf8_size(text);
        auto const c = static_cast<unsigned char>(text[0]);
        if (length == 0 || (c < ' ' && c != '\n' && c != '\t') || c == 0x7F)
            escaped += "\xEF\xBF\xBD";
        else if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else
            escaped += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return escaped;
}

}  // namespace page
