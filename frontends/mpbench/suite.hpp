// SPDX-License-Identifier: BSD-3-Clause
/// Suite: mpbench as a program.
#pragma once

#include "program/runtime/main.hpp"

namespace mpbench {

[[nodiscard]] program::Suite suite();

}  // namespace mpbench
