// SPDX-License-Identifier: BSD-3-Clause
/// Suite: mpbench-pvm as a program.
#pragma once

#include "program/runtime/main.hpp"

namespace mpbench {

[[nodiscard]] program::Suite pvm_suite();

}  // namespace mpbench
