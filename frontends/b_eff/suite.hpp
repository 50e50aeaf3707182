// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the b_eff program as the common wrapper runs it.
#pragma once

#include "frontend/main.hpp"

namespace b_eff {

[[nodiscard]] frontend::Suite suite();

}  // namespace b_eff
