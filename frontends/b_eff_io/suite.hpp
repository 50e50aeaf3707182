// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the program is to the common wrapper.
#pragma once

#include "program/runtime/main.hpp"

namespace b_eff_io {

[[nodiscard]] program::Suite suite();

}  // namespace b_eff_io
