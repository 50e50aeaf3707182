/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded before an MPI program; uses the profiling interface of MPI. Shows behaviour that the standard allows and
 * libraries rarely have.
 *
 * RARE_MPI=NAME: MPI_NAME (File_open, Win_allocate, Win_create, Win_attach) succeeds on all ranks except world rank 1,
 * which gets an error after the call.
 * RARE_MPI=late: MPI_Put and MPI_Accumulate reach their target only when they are completed there: by MPI_Win_flush or
 * MPI_Win_unlock, not by MPI_Win_flush_local.
 * RARE_MPI=threads: MPI_THREAD_MULTIPLE is not available.
 */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

static int is_wanted(char const* name) {
    char const* const text = getenv("RARE_MPI");
    return text != NULL && strcmp(text, name) == 0;
}

static int level(int asked) {
    return is_wanted("threads") && asked > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : asked;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    int const code = PMPI_Init_thread(argc, argv, level(required), provided);
    *provided = level(*provided);
    return code;
}

int MPI_Query_thread(int* provided) {
    int const code = PMPI_Query_thread(provided);
    *provided = level(*provided);
    return code;
}

/* Whether this call is reported as failed although it succeeded. */
static int fails(char const* name) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 1 && is_wanted(name);
}

int MPI_File_open(MPI_Comm comm, char const* path, int mode, MPI_Info info, MPI_File* file) {
    int size = 1;
    PMPI_Comm_size(comm, &size);
    int const code = PMPI_File_open(comm, path, mode, info, file);
    if (code != MPI_SUCCESS || size == 1 || !fails("File_open"))
        return code;
    *file = MPI_FILE_NULL;
    return MPI_ERR_IO;
}

/* A window that cannot be freed, because some processes do not know it. MPICH's MPI_Finalize would fail with it. */
static MPI_Win half = MPI_WIN_NULL;

static int made(char const* name, int code, MPI_Win* window) {
    if (code != MPI_SUCCESS || !is_wanted(name))
        return code;
    half = *window;
    if (!fails(name))
        return code;
    *window = MPI_WIN_NULL;
    return MPI_ERR_NO_MEM;
}

int MPI_Finalize(void) {
    if (half != MPI_WIN_NULL)
        PMPI_Win_free(&half);
    return PMPI_Finalize();
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window) {
    return made("Win_allocate", PMPI_Win_allocate(size, unit, info, comm, base, window), window);
}

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window) {
    return made("Win_create", PMPI_Win_create(base, size, unit, info, comm, window), window);
}

int MPI_Win_attach(MPI_Win window, void* base, MPI_Aint size) {
    int const code = PMPI_Win_attach(window, base, size);
    return code == MPI_SUCCESS && fails("Win_attach") ? MPI_ERR_NO_MEM : code;
}

/* Pending accesses, in their order. */
struct access {
    struct access* next;
    MPI_Win window;
    int target;
    MPI_Aint at;
    int count;
    MPI_Datatype type;
    MPI_Op op; /* MPI_REPLACE: a put */
    void* data;
};
static struct access* first;
static struct access** last = &first;

static int keep(void const* data, int count, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op, MPI_Win window) {
    int size = 0;
    PMPI_Type_size(type, &size);
    size_t const bytes = (size_t)size * (size_t)count;
    struct access* const one = malloc(sizeof *one);
    *one = (struct access){NULL, window, target, at, count, type, op, malloc(bytes + 1)};
    memcpy(one->data, data, bytes);
    *last = one;
    last = &one->next;
    return MPI_SUCCESS;
}

/* The tests use one window and one target at a time. */
static void deliver(void) {
    struct access* one = first;
    first = NULL;
    last = &first;
    while (one != NULL) {
        struct access* const next = one->next;
        if (one->op == MPI_REPLACE)
            PMPI_Put(one->data, one->count, one->type, one->target, one->at, one->count, one->type, one->window);
        else
            PMPI_Accumulate(one->data, one->count, one->type, one->target, one->at, one->count, one->type, one->op,
                            one->window);
        PMPI_Win_flush(one->target, one->window);
        free(one->data);
        free(one);
        one = next;
    }
}

int MPI_Put(void const* data, int count, MPI_Datatype type, int target, MPI_Aint at, int there, MPI_Datatype type_there,
            MPI_Win window) {
    if (is_wanted("late"))
        return keep(data, count, type, target, at, MPI_REPLACE, window);
    return PMPI_Put(data, count, type, target, at, there, type_there, window);
}

int MPI_Accumulate(void const* data, int count, MPI_Datatype type, int target, MPI_Aint at, int there,
                   MPI_Datatype type_there, MPI_Op op, MPI_Win window) {
    if (is_wanted("late"))
        return keep(data, count, type, target, at, op, window);
    return PMPI_Accumulate(data, count, type, target, at, there, type_there, op, window);
}

int MPI_Win_flush(int target, MPI_Win window) {
    deliver();
    return PMPI_Win_flush(target, window);
}

int MPI_Win_unlock(int target, MPI_Win window) {
    deliver();
    return PMPI_Win_unlock(target, window);
}
