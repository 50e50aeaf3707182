// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the b_eff program as the common wrapper runs it.
#pragma once

#include "program/runtime/main.hpp"

namespace b_eff {

[[nodiscard]] program::Suite suite();

}  // namespace b_eff
