/* SPDX-License-Identifier: BSD-3-Clause
 * tune_calls SIZE...: broadcasts messages of these sizes in bytes and prints what each rank sends. Messages are counted
 * where MPICH passes them to UCX; with MPIR_CVAR_NOLOCAL=1 all of them take this way. Prints one line for each size:
 * the size, then the sizes of the messages that each rank has sent, with "|" between ranks. With Open MPI the
 * algorithms that each rank has called replace the sizes. At the end it calls the operations that a file of choices
 * must also support.
 */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { longest = 4096 };
static char sent[longest];
static int counts;

static void note(char const* word) {
    if (counts && strlen(sent) + strlen(word) + 2 < longest)
        strcat(strcat(sent, " "), word);
}

#ifdef OPEN_MPI
/* Algorithms with a segment size, a radix or a fan-out get it as the first of two additional arguments. */
#define BROADCAST(name)                                                                                                \
    int ompi_coll_base_bcast_intra_##name(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,           \
                                          void* module, long more, long last);                                         \
    int ompi_coll_base_bcast_intra_##name(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,           \
                                          void* module, long more, long last) {                                        \
        static int (*next)(void*, int, MPI_Datatype, int, MPI_Comm, void*, long, long);                                \
        if (next == NULL)                                                                                              \
            *(void**)&next = dlsym(RTLD_NEXT, "ompi_coll_base_bcast_intra_" #name);                                    \
        note(#name);                                                                                                   \
        return next(data, count, type, root, comm, module, more, last);                                                \
    }
BROADCAST(basic_linear)
BROADCAST(chain)
BROADCAST(pipeline)
BROADCAST(split_bintree)
BROADCAST(bintree)
BROADCAST(binomial)
BROADCAST(knomial)
BROADCAST(scatter_allgather)
BROADCAST(scatter_allgather_ring)
#else
typedef void* (*send_function)(void*, void const*, size_t, uint64_t, void const*);

void* ucp_tag_send_nbx(void* endpoint, void const* buffer, size_t count, uint64_t tag, void const* parameters);
void* ucp_tag_send_nbx(void* endpoint, void const* buffer, size_t count, uint64_t tag, void const* parameters) {
    static send_function next;
    if (next == NULL)
        *(void**)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    char word[32];
    snprintf(word, sizeof word, "%zu", count);
    note(word);
    return next(endpoint, buffer, count, tag, parameters);
}
#endif

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* const all = malloc((size_t)size * longest);
    for (int i = 1; i < argc; ++i) {
        int const bytes = atoi(argv[i]);
        char* const data = calloc((size_t)bytes + 1, 1);
        memset(sent, 0, sizeof sent);
        counts = 1;
        MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        counts = 0;
        MPI_Gather(sent, longest, MPI_CHAR, all, longest, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("%d", bytes);
            for (int r = 0; r < size; ++r)
                printf("|%s", all + (size_t)r * longest);
            printf("\n");
        }
        free(data);
    }
    free(all);
    int one = 1;
    int sum = 0;
    int* const from = calloc((size_t)size, sizeof *from);
    int* const to = calloc((size_t)size, sizeof *to);
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ialltoall(from, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, to, 1, MPI_INT, MPI_COMM_WORLD);
    free(from);
    free(to);
    if (rank == 0)
        printf("done %d\n", sum);
    MPI_Finalize();
    return 0;
}
