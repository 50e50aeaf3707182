/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded before a program: every call that its measured loops consist of touches a new page of memory. An MPI
 * library does the same while its segments are new; this library does it forever, so that measurements never settle. */
#include <mpi.h>
#include <sys/mman.h>

static void touch_new_page(void) {
    enum { size = 4096 };
    char volatile* const page = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    page[0] = 1;
    munmap((void*)page, size);
}

int MPI_Send(void const* data, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
    touch_new_page();
    return PMPI_Send(data, n, type, rank, tag, comm);
}

int MPI_Sendrecv(void const* data, int n, MPI_Datatype type, int to, int tag, void* out, int m, MPI_Datatype type_out,
                 int from, int tag_out, MPI_Comm comm, MPI_Status* status) {
    touch_new_page();
    return PMPI_Sendrecv(data, n, type, to, tag, out, m, type_out, from, tag_out, comm, status);
}

int MPI_File_write(MPI_File file, void const* data, int n, MPI_Datatype type, MPI_Status* status) {
    touch_new_page();
    return PMPI_File_write(file, data, n, type, status);
}

int MPI_File_read(MPI_File file, void* data, int n, MPI_Datatype type, MPI_Status* status) {
    touch_new_page();
    return PMPI_File_read(file, data, n, type, status);
}

/* Functions without MPI: the C library calls of cachebench, and BLAS routines that blasbench can open. */

void* memset(void* data, int value, size_t n) {
    touch_new_page();
    for (char volatile* p = data; n-- > 0; ++p)
        *p = (char)value;
    return data;
}

#define ROUTINES(letter)                                                                                               \
    void letter##axpy_(void) { touch_new_page(); }                                                                     \
    void letter##gemv_(void) { touch_new_page(); }                                                                     \
    void letter##gemm_(void) { touch_new_page(); }                                                                     \
    void letter##trsv_(void) { touch_new_page(); }                                                                     \
    void letter##trsm_(void) { touch_new_page(); }                                                                     \
    void letter##syr2k_(void) { touch_new_page(); }

ROUTINES(d)
ROUTINES(s)
