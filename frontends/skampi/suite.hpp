// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what skampi is to the common wrapper.
#pragma once

#include "frontend/main.hpp"

namespace skampi {

[[nodiscard]] frontend::Suite suite();

}  // namespace skampi
