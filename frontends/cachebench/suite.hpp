// SPDX-License-Identifier: BSD-3-Clause
/// Suite: cachebench as a program.
#pragma once

#include "program/runtime/main.hpp"

namespace cachebench {

[[nodiscard]] program::Suite suite();

}  // namespace cachebench
