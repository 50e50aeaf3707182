// SPDX-License-Identifier: BSD-3-Clause
/// The program skampi-post.
#pragma once

#include "frontend/main.hpp"

namespace skampi {

[[nodiscard]] frontend::Suite post_suite();

}  // namespace skampi
