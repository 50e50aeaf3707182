// SPDX-License-Identifier: BSD-3-Clause
/// Content: checks once per measurement, in a call that is not timed, that received data equals sent data.
#pragma once

#include "skampi/run/bench.hpp"

#include <string>

namespace skampi {

/// Fills the buffers with data that identifies rank and position, executes the routine once and compares the result
/// with the one that MPI specifies. Collective over the bench's team.
/// \param corrupt  for tests: flips a received byte before the comparison
/// \returns the error, or "" if there is none; the same text on all ranks
[[nodiscard]] std::string check_messages(Bench& bench, bool corrupt);

}  // namespace skampi
