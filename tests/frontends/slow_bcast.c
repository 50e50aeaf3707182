/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling library to preload: extends the time of MPI_Bcast by the fraction SLOW_BCAST. */
#include <mpi.h>
#include <time.h>

#include <stdlib.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    static double share = -1;
    if (share < 0) {
        char const* const text = getenv("SLOW_BCAST");
        share = text ? atof(text) : 0;
    }
    double const begin = now();
    int const code = PMPI_Bcast(buffer, count, type, root, comm);
    double const end = now();
    while (now() < end + (end - begin) * share) {
    }
    return code;
}
