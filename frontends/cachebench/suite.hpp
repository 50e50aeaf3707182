// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the description of the program for the common wrapper.
#pragma once

#include "program/runtime/main.hpp"

namespace cachebench {

[[nodiscard]] program::Suite suite();

}  // namespace cachebench
