// SPDX-License-Identifier: BSD-3-Clause
/// Suite: cachebench as a program.
#pragma once

#include "frontend/main.hpp"

namespace cachebench {

[[nodiscard]] frontend::Suite suite();

}  // namespace cachebench
