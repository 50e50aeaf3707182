// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the program as the common wrapper runs it.
#pragma once

#include "program/runtime/main.hpp"

namespace mpbench {

[[nodiscard]] program::Suite suite();

}  // namespace mpbench
