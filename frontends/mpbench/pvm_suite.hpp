// SPDX-License-Identifier: BSD-3-Clause
/// Suite: mpbench-pvm as a program.
#pragma once

#include "frontend/main.hpp"

namespace mpbench {

[[nodiscard]] frontend::Suite pvm_suite();

}  // namespace mpbench
