// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the three programs are to the common wrapper.
#pragma once

#include "program/runtime/main.hpp"
#include "rules.hpp"

namespace pmb {

[[nodiscard]] program::Suite suite(Part part);

}  // namespace pmb
