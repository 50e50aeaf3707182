// SPDX-License-Identifier: BSD-3-Clause
/// TeX: a document for pdflatex with the packages of every installation. Pure and local.
#pragma once

#include "report/pages.hpp"

#include <string>
#include <string_view>

namespace skampi::report {

/// A plot is included where STEM.pdf is found when the text is set, otherwise it is its table.
[[nodiscard]] std::string tex_text(Document const& document);

/// Nothing in the text is a command. Letters that the standard fonts do not have become '?'.
[[nodiscard]] std::string tex_escaped(std::string_view text);

}  // namespace skampi::report
