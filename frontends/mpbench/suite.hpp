// SPDX-License-Identifier: BSD-3-Clause
/// Suite: mpbench as a program.
#pragma once

#include "frontend/main.hpp"

namespace mpbench {

[[nodiscard]] frontend::Suite suite();

}  // namespace mpbench
