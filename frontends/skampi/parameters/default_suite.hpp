// SPDX-License-Identifier: BSD-3-Clause
/// Default suite: the measurements of a parameter file without a list of measurements, in the order in which they run.
#pragma once

#include "skampi/parameters/grammar.hpp"
#include "skampi/routines/catalogue.hpp"

#include <string>
#include <vector>

namespace skampi {

/// Names of the routine's measurements in the default suite; empty if there are none.
[[nodiscard]] std::vector<std::string> default_names(Routine const& routine);

/// The default suite in the form of a parameter file. "short" means 256 bytes and "long" 64 KiB.
[[nodiscard]] std::vector<grammar::Block> default_blocks();

}  // namespace skampi
