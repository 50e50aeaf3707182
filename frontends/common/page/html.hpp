// SPDX-License-Identifier: BSD-3-Clause
/// HTML: a document as one page that needs nothing else, for light and dark screens, phones and paper. Pure and local.
#pragma once

#include "page/document.hpp"

#include <string>
#include <string_view>

namespace page {

/// The whole page. Browsers are told to load nothing and to run no script.
[[nodiscard]] std::string html_text(Document const& document);

/// A page around a body that is HTML already, with the same rules.
/// \param title          plain text
/// \param script_policy  which scripts may run, as `script-src` of a content security policy says it; empty: none
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body, std::string_view script_policy = {});

}  // namespace page
