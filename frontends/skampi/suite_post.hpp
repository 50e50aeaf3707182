// SPDX-License-Identifier: BSD-3-Clause
/// The program skampi-post.
#pragma once

#include "program/runtime/main.hpp"

namespace skampi {

[[nodiscard]] program::Suite post_suite();

}  // namespace skampi
