// SPDX-License-Identifier: BSD-3-Clause
/// Recorder: the part of the profile that needs libmeasure. It is a separate library that only ranks load. The
/// preloaded library is loaded into every process, including launchers and shells, and must not slow them down.
#pragma once

#include "profile/table.hpp"

#include <cstddef>

namespace measure::profile {

/// Request for a recording.
struct Order {
    char const* path = nullptr;   ///< path of the record
    char const* timer = nullptr;  ///< name: "tsc", "monotonic"
    RankTable* table = nullptr;
};

/// Functions that the recorder exports under these names. Both are collective over MPI_COMM_WORLD.
///
/// measure_profile_begin: describes the run. Sets `hertz` to the frequency of the timer, and the buffer `said` of
/// `bytes` bytes to an error message, or to an empty text for success. Returns an object for measure_profile_end, or
/// nullptr after an error.
///
/// measure_profile_end: joins the tables of all ranks, appends the record, and destroys the object.
using Begin = void*(Order const* order, double* hertz, char* said, std::size_t bytes);
using End = void(void* begun, char* said, std::size_t bytes);

}  // namespace measure::profile
