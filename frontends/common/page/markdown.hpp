// SPDX-License-Identifier: BSD-3-Clause
/// Markdown: a document as Markdown, for example for GitHub. Pure and local.
#pragma once

#include "page/document.hpp"

#include <string>

namespace page {

/// The document as text. Plots are replaced by their tables, and folded content is shown.
[[nodiscard]] std::string markdown_text(Document const& document);

}  // namespace page
