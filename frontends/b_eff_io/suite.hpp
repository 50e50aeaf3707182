// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the description with which the common wrapper runs the program.
#pragma once

#include "program/runtime/main.hpp"

namespace b_eff_io {

[[nodiscard]] program::Suite suite();

}  // namespace b_eff_io
