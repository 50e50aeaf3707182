// SPDX-License-Identifier: BSD-3-Clause
/// Ending text: what the reports of a run say that an exception ends.
#pragma once

#include <string>

namespace program {

/// "INTERRUPTED by SIGTERM", "FAILED: cannot write 'x': No space left on device". To be called where an exception is
/// handled. Local.
[[nodiscard]] std::string ending_text();

}  // namespace program
