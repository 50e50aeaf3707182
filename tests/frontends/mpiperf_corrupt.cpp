// SPDX-License-Identifier: BSD-3-Clause
/// Preloaded before mpiperf; uses the profiling interface of MPI.
///
/// MPIPERF_CORRUPT=NAME: after each call with that name (bcast, alltoallv, allreduce) it changes the last byte that
/// world rank 1 has received; with gap, the byte after the first element that it has received by MPI_Alltoallv. The
/// same for neighbor (MPI_Neighbor_alltoall) and recv (MPI_Recv), and, when their request completes, for ialltoall and
/// (from the second start on) bcast_init.
#include <mpi.h>

#include <cstdlib>
#include <cstring>

namespace {

bool is_wanted(char const* name) {
    char const* const text = std::getenv("MPIPERF_CORRUPT");
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return text != nullptr && rank == 1 && std::strcmp(text, name) == 0;
}

void alter(void* buffer, MPI_Aint at) {
    auto* const byte = static_cast<unsigned char*>(buffer) + at;
    *byte = static_cast<unsigned char>(*byte + 1);
}

/// The receive buffer of a pending request.
struct Pending {
    MPI_Request request = MPI_REQUEST_NULL;
    void* buffer = nullptr;
    MPI_Aint last = 0;
    int starts = 0;
};
Pending pending;

void complete(MPI_Request request, bool done) {
    if (!done || request == MPI_REQUEST_NULL || request != pending.request)
        return;
    if (is_wanted("ialltoall") || (is_wanted("bcast_init") && pending.starts > 1))
        alter(pending.buffer, pending.last);
    if (pending.starts == 0)
        pending = {};
}

}  // namespace

extern "C" {

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    int const code = PMPI_Bcast(buffer, count, type, root, comm);
    // Broadcasts of the library itself have other sizes.
    if (type == MPI_BYTE && count == 4096 && is_wanted("bcast"))
        alter(buffer, count - 1);
    return code;
}

int MPI_Alltoallv(void const* send, int const counts[], int const at[], MPI_Datatype type, void* receive,
                  int const receive_counts[], int const receive_at[], MPI_Datatype receive_type, MPI_Comm comm) {
    int const code = PMPI_Alltoallv(send, counts, at, type, receive, receive_counts, receive_at, receive_type, comm);
    int size = 0;
    PMPI_Type_size(receive_type, &size);
    if (is_wanted("alltoallv"))
        alter(receive, size * receive_counts[0] - 1);
    // The element has 8 bytes of data in an extent of 16.
    if (is_wanted("gap") && size == 8)
        alter(receive, size);
    return code;
}

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int const code = PMPI_Allreduce(send, receive, count, type, op, comm);
    if (type == MPI_DOUBLE && op == MPI_SUM && count == 512 && is_wanted("allreduce"))
        alter(receive, static_cast<MPI_Aint>(sizeof(double)) * count - 1);
    return code;
}

int MPI_Neighbor_alltoall(void const* send, int count, MPI_Datatype type, void* receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm) {
    int const code = PMPI_Neighbor_alltoall(send, count, type, receive, receive_count, receive_type, comm);
    if (is_wanted("neighbor"))
        alter(receive, receive_count - 1);
    return code;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    int const code = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    if (type == MPI_BYTE && count == 4096 && is_wanted("recv"))
        alter(buffer, count - 1);
    return code;
}

int MPI_Ialltoall(void const* send, int count, MPI_Datatype type, void* receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
    int const code = PMPI_Ialltoall(send, count, type, receive, receive_count, receive_type, comm, request);
    pending = {*request, receive, receive_count - 1};
    return code;
}

int MPI_Request_free(MPI_Request* request) {
    if (*request == pending.request)
        pending = {};
    return PMPI_Request_free(request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    MPI_Request const before = *request;
    int const code = PMPI_Wait(request, status);
    complete(before, true);
    return code;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    MPI_Request const before = *request;
    int const code = PMPI_Test(request, done, status);
    complete(before, *done != 0);
    return code;
}

// Open MPI 5.0 provides it although it reports MPI 3.1.
#ifdef BODIES_HAVE_PERSISTENT
int MPI_Bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
    int const code = PMPI_Bcast_init(buffer, count, type, root, comm, info, request);
    pending = {*request, buffer, count - 1};
    return code;
}

int MPI_Start(MPI_Request* request) {
    if (*request == pending.request)
        ++pending.starts;
    return PMPI_Start(request);
}
#endif

}  // extern "C"
