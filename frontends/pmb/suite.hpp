// SPDX-License-Identifier: BSD-3-Clause
/// Suite: what the programs are to the common wrapper.
#pragma once

#include "pmb/rules.hpp"
#include "program/runtime/main.hpp"

#include <string>

namespace pmb {

[[nodiscard]] program::Suite suite(Part part);

/// The program of IMB that is started without a part's name: help, and what is wrong with the name.
[[nodiscard]] program::Suite all_parts(std::string const& path);

}  // namespace pmb
