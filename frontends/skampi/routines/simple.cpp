// SPDX-License-Identifier: BSD-3-Clause
/// The simple pattern: local operations of one process.
#include "skampi/routines/tables.hpp"

#include <array>

namespace skampi {
namespace {

constexpr Routine line(std::string_view id, std::string_view origin, std::string_view text, Local which) {
    return {.id = id,
            .pattern = Pattern::simple,
            .variations = "-",
            .origin = origin,
            .defaults = "-",
            .text = text,
            .least_nodes = 1,
            .calls = which};
}

constexpr std::array local_calls{
    line("MPI_Wtime", "paper", "one reading of the clock", Local::wtime),
    line("MPI_Comm_rank", "paper", "query of the process's rank", Local::comm_rank),
    line("MPI_Comm_size", "new", "query of the number of processes", Local::comm_size),
    line("MPI_Iprobe", "paper", "probe for a message that does not exist", Local::iprobe),
    line("Buffer_attach", "new", "MPI_Buffer_attach and MPI_Buffer_detach of 1 KiB", Local::buffer_attach),
};

}  // namespace

std::span<Routine const> simple_routines() noexcept { return local_calls; }

}  // namespace skampi
