// SPDX-License-Identifier: BSD-3-Clause
/// Recorder: the part of the profile that needs libmeasure. It is a library of its own, which is loaded by ranks alone:
/// what is preloaded gets into every process, launchers and shells too, and must cost them nothing.
#pragma once

#include "profile/table.hpp"

#include <cstddef>

namespace measure::profile {

/// How the recording was asked for.
struct Order {
    char const* path = nullptr;   ///< of the record
    char const* timer = nullptr;  ///< name: "tsc", "monotonic"
    RankTable* table = nullptr;
};

/// Functions of the recorder, which it exports by these names. Both are collective over MPI_COMM_WORLD.
///
/// measure_profile_begin: describes the run. \param hertz  becomes the rate of the timer  \param said, bytes  get what
/// went wrong, else an empty text \return an object for the end; nullptr where something went wrong
/// measure_profile_end: joins the tables of all ranks and appends the record. Ends the object.
using Begin = void*(Order const* order, double* hertz, char* said, std::size_t bytes);
using End = void(void* begun, char* said, std::size_t bytes);

}  // namespace measure::profile
