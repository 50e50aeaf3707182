// SPDX-License-Identifier: BSD-3-Clause
/// HTML: a document as one page that needs nothing else. Pure and local.
#pragma once

#include "report/document.hpp"

#include <map>
#include <string>
#include <string_view>

namespace skampi::report {

/// \param pictures  stem of a plot -> its SVG; a plot without one is its table
[[nodiscard]] std::string html_text(Document const& document, std::map<std::string, std::string> const& pictures);

[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace skampi::report
