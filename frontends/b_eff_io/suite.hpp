// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the program is to the common wrapper.
#pragma once

#include "frontend/main.hpp"

namespace b_eff_io {

[[nodiscard]] frontend::Suite suite();

}  // namespace b_eff_io
