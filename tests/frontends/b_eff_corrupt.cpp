// SPDX-License-Identifier: BSD-3-Clause
/// Preloaded before b_eff; uses the profiling interface of MPI.
///
/// B_EFF_CORRUPT=METHOD:BYTES: changes the last byte of the first message of that length that world rank 1 receives
/// with that method (sendrecv, alltoallv or nonblocking).
#include <mpi.h>

#include <cstdlib>
#include <string>

namespace {

/// The receive buffer of the last non-blocking receive of the wanted length.
unsigned char* pending = nullptr;
bool done = false;

bool is_wanted(char const* method, int bytes) {
    char const* const text = std::getenv("B_EFF_CORRUPT");
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return text != nullptr && !done && rank == 1 && text == std::string{method} + ":" + std::to_string(bytes);
}

void alter(void* message, int bytes) {
    auto* const last = static_cast<unsigned char*>(message) + bytes - 1;
    *last = static_cast<unsigned char>(*last + 100);
    done = true;
}

}  // namespace

extern "C" {

int MPI_Sendrecv(void const* send, int count, MPI_Datatype type, int to, int tag, void* receive, int receive_count,
                 MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm, MPI_Status* status) {
    int const code = PMPI_Sendrecv(send, count, type, to, tag, receive, receive_count, receive_type, from, receive_tag,
                                   comm, status);
    if (is_wanted("sendrecv", receive_count))
        alter(receive, receive_count);
    return code;
}

int MPI_Alltoallv(void const* send, int const counts[], int const at[], MPI_Datatype type, void* receive,
                  int const receive_counts[], int const receive_at[], MPI_Datatype receive_type, MPI_Comm comm) {
    int const code = PMPI_Alltoallv(send, counts, at, type, receive, receive_counts, receive_at, receive_type, comm);
    if (is_wanted("alltoallv", receive_counts[0]))
        alter(static_cast<unsigned char*>(receive) + receive_at[0], receive_counts[0]);
    return code;
}

int MPI_Irecv(void* receive, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (is_wanted("nonblocking", count))
        pending = static_cast<unsigned char*>(receive) + count - 1;
    return PMPI_Irecv(receive, count, type, from, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    int const code = PMPI_Waitall(count, requests, statuses);
    if (pending != nullptr)
        alter(pending, 1);
    pending = nullptr;
    return code;
}

}  // extern "C"
