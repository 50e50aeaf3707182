// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the program as the common wrapper runs it.
#pragma once

#include "program/runtime/main.hpp"

namespace b_eff_io {

[[nodiscard]] program::Suite suite();

}  // namespace b_eff_io
