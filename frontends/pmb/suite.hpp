// SPDX-License-Identifier: BSD-3-Clause
/// Suite: the descriptions of the programs for the common wrapper.
#pragma once

#include "pmb/rules.hpp"
#include "program/runtime/main.hpp"

#include <string>

namespace pmb {

[[nodiscard]] program::Suite suite(Part part);

/// The suite for IMB started without the name of a program: prints help, or reports the wrong name.
[[nodiscard]] program::Suite all_parts(std::string const& path);

}  // namespace pmb
