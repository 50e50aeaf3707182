// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what skampi is to the common wrapper.
#pragma once

#include "program/runtime/main.hpp"

namespace skampi {

[[nodiscard]] program::Suite suite();

}  // namespace skampi
