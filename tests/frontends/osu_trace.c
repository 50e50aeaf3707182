/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded before an MPI program; uses the profiling interface of MPI.
 *
 * OSU_TRACE=PREFIX: at the end of the program PREFIX.RANK contains the calls of that world rank in their order, one
 * line each: the name and the relevant arguments.
 * OSU_TRACE_TYPES=1: for MPI_Send also the type of the elements.
 * OSU_TRACE_LATE=N: world rank 1 is 10 ms late in every Nth MPI_Bcast of MPI_CHAR.
 * OSU_TRACE_HANG=N: world rank 1 never returns from the Nth MPI_Bcast of MPI_CHAR.
 * OSU_TRACE_BCAST_FAULT=N: changes the last byte that the Nth MPI_Bcast of MPI_CHAR delivers to world rank 1.
 * OSU_TRACE_FAULT=N: changes the last byte that the Nth MPI_Recv with tag 1 delivers to world rank 0.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <unistd.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static FILE* file;
static int rank;
static long fault;
static long receives;
static long late;
static long hang;
static long bcast_fault;
static long broadcasts;

/* The number in an environment variable, on that rank only. */
static long number_on(int which, char const* name) {
    char const* const text = getenv(name);
    return text != NULL && rank == which ? atol(text) : 0;
}

static void begin(void) {
    char const* const prefix = getenv("OSU_TRACE");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fault = number_on(0, "OSU_TRACE_FAULT");
    late = number_on(1, "OSU_TRACE_LATE");
    hang = number_on(1, "OSU_TRACE_HANG");
    bcast_fault = number_on(1, "OSU_TRACE_BCAST_FAULT");
    if (prefix == NULL)
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", prefix, rank);
    file = fopen(path, "w");
}

static void line(char const* format, ...) {
    if (file == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
}

static int bytes(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return count * size;
}

/* " of MPI_INT" if OSU_TRACE_TYPES is set. */
static char const* of(MPI_Datatype type) {
    static _Thread_local char text[MPI_MAX_OBJECT_NAME + 4];
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    if (getenv("OSU_TRACE_TYPES") == NULL)
        return "";
    PMPI_Type_get_name(type, name, &length);
    snprintf(text, sizeof text, " of %s", name);
    return text;
}

int MPI_Init(int* argc, char*** argv) {
    int const code = PMPI_Init(argc, argv);
    begin();
    return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    int const code = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return code;
}

int MPI_Finalize(void) {
    if (file != NULL)
        fclose(file);
    file = NULL;
    return PMPI_Finalize();
}

int MPI_Send(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    line("Send %d to %d tag %d%s", bytes(count, type), to, tag, of(type));
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
    line("Recv %d from %d tag %d", bytes(count, type), from, tag);
    int const code = PMPI_Recv(data, count, type, from, tag, comm, status);
    if (fault > 0 && tag == 1 && ++receives == fault)
        ((char*)data)[bytes(count, type) - 1] ^= 1;
    return code;
}

int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
    line("Isend %d to %d tag %d at %p", bytes(count, type), to, tag, data);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    line("Irecv %d from %d tag %d at %p", bytes(count, type), from, tag, data);
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    line("Waitall %d", count);
    return PMPI_Waitall(count, requests, statuses);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    line("Startall %d", count);
    return PMPI_Startall(count, requests);
}

int MPI_Barrier(MPI_Comm comm) {
    line("Barrier");
    return PMPI_Barrier(comm);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    line("Bcast %d", bytes(count, type));
    broadcasts += type == MPI_CHAR;
    if (type == MPI_CHAR && late > 0 && broadcasts % late == 0)
        usleep(10000);
    while (type == MPI_CHAR && hang > 0 && broadcasts == hang)
        pause();
    int const code = PMPI_Bcast(data, count, type, root, comm);
    if (type == MPI_CHAR && bcast_fault > 0 && broadcasts == bcast_fault)
        ((char*)data)[bytes(count, type) - 1] ^= 1;
    return code;
}

int MPI_Gather(void const* send, int count, MPI_Datatype type, void* receive, int received, MPI_Datatype to, int root,
               MPI_Comm comm) {
    line("Gather %d root %d%s", bytes(count, type), root, send == MPI_IN_PLACE ? " in place" : "");
    return PMPI_Gather(send, count, type, receive, received, to, root, comm);
}

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    line("Allreduce %d%s", bytes(count, type), send == MPI_IN_PLACE ? " in place" : "");
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Put(void const* data, int count, MPI_Datatype type, int target, MPI_Aint at, int there, MPI_Datatype as,
            MPI_Win window) {
    line("Put %d to %d", bytes(count, type), target);
    return PMPI_Put(data, count, type, target, at, there, as, window);
}

#define WINDOW_CALL(name, arguments, values)                                                                           \
    int MPI_Win_##name arguments {                                                                                     \
        line("Win_" #name);                                                                                            \
        return PMPI_Win_##name values;                                                                                 \
    }
WINDOW_CALL(lock, (int kind, int target, int assertion, MPI_Win window), (kind, target, assertion, window))
WINDOW_CALL(unlock, (int target, MPI_Win window), (target, window))
WINDOW_CALL(lock_all, (int assertion, MPI_Win window), (assertion, window))
WINDOW_CALL(unlock_all, (MPI_Win window), (window))
WINDOW_CALL(flush, (int target, MPI_Win window), (target, window))
WINDOW_CALL(flush_local, (int target, MPI_Win window), (target, window))
WINDOW_CALL(fence, (int assertion, MPI_Win window), (assertion, window))
WINDOW_CALL(start, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
WINDOW_CALL(complete, (MPI_Win window), (window))
WINDOW_CALL(post, (MPI_Group group, int assertion, MPI_Win window), (group, assertion, window))
WINDOW_CALL(wait, (MPI_Win window), (window))
