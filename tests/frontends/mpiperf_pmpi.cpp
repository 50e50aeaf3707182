// SPDX-License-Identifier: BSD-3-Clause
/// Preloaded before mpiperf; uses the profiling interface of MPI. While mpiperf measures, MPI_Bcast is a broadcast of
/// this library, otherwise that of the MPI library. The number of calls of each is written to the file
/// MPIPERF_PMPI_COUNTS.RANK when MPI ends.
#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <string>

extern "C" int mpiperf_is_measure_started __attribute__((weak));

namespace {

long calls[2] = {0, 0};

int flat_broadcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int rank = 0;
    int size = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank != root)
        return PMPI_Recv(data, count, type, root, 0, comm, MPI_STATUS_IGNORE);
    for (int other = 0; other < size; ++other)
        if (other != root)
            PMPI_Send(data, count, type, other, 0, comm);
    return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    bool const measuring = &mpiperf_is_measure_started != nullptr && mpiperf_is_measure_started == 1;
    ++calls[measuring ? 1 : 0];
    return measuring ? flat_broadcast(data, count, type, root, comm) : PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Finalize() {
    if (char const* const path = std::getenv("MPIPERF_PMPI_COUNTS")) {
        int rank = 0;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::ofstream{std::string{path} + "." + std::to_string(rank)} << calls[0] << ' ' << calls[1] << '\n';
    }
    return PMPI_Finalize();
}

}  // extern "C"
