// SPDX-License-Identifier: BSD-3-Clause
/// Content: whether what arrives is what was sent, looked at once per measurement, in a call that is not timed.
#pragma once

#include "skampi/run/bench.hpp"

#include <string>

namespace skampi {

/// Fills the buffers with data that tell ranks and positions apart, executes the routine once, and compares what is
/// there afterwards with what MPI promises. Collective over the bench's team.
/// \param corrupt  for tests: one received byte is flipped before the comparison
/// \return what is wrong, "" where nothing is; the same text on all ranks
[[nodiscard]] std::string check_messages(Bench& bench, bool corrupt);

}  // namespace skampi
