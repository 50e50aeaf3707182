// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the programs are to the common wrapper.
#pragma once

#include "pmb/rules.hpp"
#include "program/runtime/main.hpp"

namespace pmb {

[[nodiscard]] program::Suite suite(Part part);

}  // namespace pmb
