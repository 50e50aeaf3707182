// SPDX-License-Identifier: BSD-3-Clause
/// Page: the answer of a run as a document. Pure, local.
#pragma once

#include "page/document.hpp"
#include "run/screen.hpp"

namespace measure::tool::runs {

[[nodiscard]] page::Document page_of(Answer const& answer, ScreenNotes const& notes);

}  // namespace measure::tool::runs
