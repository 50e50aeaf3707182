// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the program is to the common wrapper.
#pragma once

#include "frontend/main.hpp"

namespace mpiperf {

[[nodiscard]] frontend::Suite suite();

}  // namespace mpiperf
