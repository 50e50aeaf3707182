// SPDX-License-Identifier: BSD-3-Clause
/// Escape: texts inside HTML and SVG. Pure, local.
#pragma once

#include <string>
#include <string_view>

namespace page {

/// Text for elements and for attributes in double quotes. What no HTML may hold (control characters, broken UTF-8)
/// becomes U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace page
