// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the programs are to the common wrapper.
#pragma once

#include "program/runtime/main.hpp"
#include "rules.hpp"

namespace pmb {

[[nodiscard]] program::Suite suite(Part part);

/// Runs the program of IMB that the executable's name says, or its first argument. \return the exit code
[[nodiscard]] int run_imb(int argc, char** argv);

}  // namespace pmb
