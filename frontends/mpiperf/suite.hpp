// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the program is to the common wrapper.
#pragma once

#include "program/runtime/main.hpp"

namespace mpiperf {

[[nodiscard]] program::Suite suite();

}  // namespace mpiperf
