// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the three programs are to the common wrapper.
#pragma once

#include "frontend/main.hpp"
#include "rules.hpp"

namespace pmb {

[[nodiscard]] frontend::Suite suite(Part part);

}  // namespace pmb
