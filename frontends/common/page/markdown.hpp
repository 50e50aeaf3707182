// SPDX-License-Identifier: BSD-3-Clause
/// Markdown: a document as text for places that show it, as GitHub does. Pure and local.
#pragma once

#include "page/document.hpp"

#include <string>

namespace page {

/// Plots are their tables; what is folded stands open.
[[nodiscard]] std::string markdown_text(Document const& document);

}  // namespace page
