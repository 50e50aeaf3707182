// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the description of the program for the common wrapper.
#pragma once

#include "program/runtime/main.hpp"

#include <string>

namespace blasbench {

/// \param command  name by which the program was called. If it starts with "v" ("vblasbench"), a vendor's library is
///                 measured by default
[[nodiscard]] program::Suite suite(std::string const& command);

}  // namespace blasbench
