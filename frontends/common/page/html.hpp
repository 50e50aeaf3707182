// SPDX-License-Identifier: BSD-3-Clause
/// HTML: a document as a self-contained page for light and dark screens, phones and paper. Pure and local.
#pragma once

#include "page/document.hpp"

#include <string>
#include <string_view>

namespace page {

/// The whole page. Its content security policy forbids browsers to load files and to run scripts.
[[nodiscard]] std::string html_text(Document const& document);

/// A page around an HTML body, with the same policy.
/// \param title          plain text
/// \param script_policy  allowed scripts, as `script-src` of a content security policy; empty: no scripts
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body, std::string_view script_policy = {});

}  // namespace page
