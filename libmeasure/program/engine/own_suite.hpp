// SPDX-License-Identifier: BSD-3-Clause
/// own_suite: a user's program as a suite for `program::run_main`.
#pragma once

#include "program/runtime/main.hpp"

#include <measure/main.hpp>

namespace program::engine {

/// The suite of the program. `program` must outlive it.
[[nodiscard]] Suite own_suite(measure::Program const& program);

}  // namespace program::engine
