// SPDX-License-Identifier: BSD-3-Clause
/// own_suite: what a user's program is to the common wrapper.
#pragma once

#include "program/runtime/main.hpp"

#include <measure/main.hpp>

namespace program::engine {

/// The suite refers to the program, which outlives it.
[[nodiscard]] Suite own_suite(measure::Program const& program);

}  // namespace program::engine
