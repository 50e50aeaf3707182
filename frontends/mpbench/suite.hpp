// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the description of the program for the common wrapper.
#pragma once

#include "mpbench/options.hpp"
#include "program/runtime/main.hpp"
#include "program/runtime/session.hpp"

#include <functional>

namespace mpbench {

[[nodiscard]] program::Suite suite();

/// The program over PVM. \param run  runs the measurements
[[nodiscard]] program::Suite pvm_suite(std::function<void(Options const&, program::Session&)> const& run);

}  // namespace mpbench
