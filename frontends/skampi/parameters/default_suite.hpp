// SPDX-License-Identifier: BSD-3-Clause
/// Default suite: the measurements of a parameter file that names none, in the order in which they run.
#pragma once

#include "skampi/parameters/grammar.hpp"
#include "skampi/routines/catalogue.hpp"

#include <string>
#include <vector>

namespace skampi {

/// Names of the routine's measurements in the default suite; empty where it has none.
[[nodiscard]] std::vector<std::string> default_names(Routine const& routine);

/// The default suite as a parameter file would have it: "short" is 256 bytes, "long" 64 KiB.
[[nodiscard]] std::vector<grammar::Block> default_blocks();

}  // namespace skampi
