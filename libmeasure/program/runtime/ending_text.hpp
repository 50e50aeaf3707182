// SPDX-License-Identifier: BSD-3-Clause
/// Ending text: the text for the reports of a run that an exception ends.
#pragma once

#include <string>

namespace program {

/// "INTERRUPTED by SIGTERM", "FAILED: cannot write 'x': No space left on device". Call it in a catch block. Local.
[[nodiscard]] std::string ending_text();

}  // namespace program
