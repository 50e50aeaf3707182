/* SPDX-License-Identifier: BSD-3-Clause
 * Preloaded after the library of `measure profile`: MPI_Init fails with an error.
 */
#include <mpi.h>

int MPI_Init(int* argc, char*** argv) {
    (void)argc;
    (void)argv;
    return MPI_ERR_OTHER;
}

/* Fortran bindings that do not call MPI_Init. */
#define IN_FORTRAN(name)                                                                                               \
    void name(MPI_Fint* error);                                                                                        \
    void name(MPI_Fint* error) { *error = MPI_ERR_OTHER; }
#if defined(MPICH_VERSION)
IN_FORTRAN(mpi_init_f08_)
#elif defined(OPEN_MPI)
IN_FORTRAN(mpi_init_)
IN_FORTRAN(ompi_init_f)
#endif
