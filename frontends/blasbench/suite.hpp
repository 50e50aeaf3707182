// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the program as the common wrapper runs it.
#pragma once

#include "program/runtime/main.hpp"

#include <string>

namespace blasbench {

/// \param command  how the program was called: by a name with a "v" in front ("vblasbench") it measures a vendor's
///                 library unless it is told otherwise
[[nodiscard]] program::Suite suite(std::string const& command);

}  // namespace blasbench
