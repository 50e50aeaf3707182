/* SPDX-License-Identifier: BSD-3-Clause
 * When preloaded, makes the MPI library report a different version string.
 */
#include <mpi.h>

#include <string.h>

int MPI_Get_library_version(char* version, int* length) {
    strcpy(version, "Other MPI 1.0");
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}
