/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiling library that is preloaded before measure-patterns. World rank 1 receives blocks of 4000 bytes whose
   last byte is wrong, and sums of two numbers whose second number is wrong. Messages of the library itself have
   other sizes. */
#include <mpi.h>

#include <stddef.h>

enum { SIZE = 4000 };

static unsigned char* awaited; /* the last byte that the pending MPI_Irecv delivers */

static int is_rank_1(void) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 1;
}

static int is_block(int count, MPI_Datatype type) { return type == MPI_BYTE && count == SIZE && is_rank_1(); }

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    if (is_block(count, type))
        awaited = (unsigned char*)buffer + SIZE - 1;
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    int const code = PMPI_Waitall(count, requests, statuses);
    if (awaited != NULL)
        ++*awaited;
    awaited = NULL;
    return code;
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    int const code = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    if (is_block(count, type) && from != MPI_PROC_NULL)
        ++((unsigned char*)buffer)[SIZE - 1];
    return code;
}

int MPI_Alltoall(void const* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
    int const code = PMPI_Alltoall(send, count, type, receive, receive_count, receive_type, comm);
    if (is_block(receive_count, receive_type))
        ++((unsigned char*)receive)[SIZE - 1];
    return code;
}

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    int const code = PMPI_Allreduce(send, receive, count, type, op, comm);
    if (type == MPI_DOUBLE && op == MPI_SUM && count == 2 && is_rank_1())
        ++((double*)receive)[1];
    return code;
}
