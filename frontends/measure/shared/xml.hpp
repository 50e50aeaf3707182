// SPDX-License-Identifier: BSD-3-Clause
/// XML: texts for reports in continuous integration. Pure, local.
#pragma once

#include <string>
#include <string_view>

namespace measure::tool {

/// Escapes a text for an attribute or an element of XML 1.0. Characters that XML does not allow become "?": bytes that
/// are not UTF-8, control characters, U+FFFE and U+FFFF. Line ends and tabs become blanks.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace measure::tool
