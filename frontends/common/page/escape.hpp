// SPDX-License-Identifier: BSD-3-Clause
/// Escape: escapes texts for HTML and SVG. Pure, local.
#pragma once

#include <string>
#include <string_view>

namespace page {

/// Text for elements and for attributes in double quotes. Characters that HTML does not allow (control characters,
/// invalid UTF-8) become U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace page
