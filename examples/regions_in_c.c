/* Where does my C solver spend its time? */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: regions_in_c
 *
 * Two regions stay in the code permanently. They are off unless MEASURE_REGIONS names a file.
 */
#include <measure.h>
#include <stdio.h>

enum { steps = 50, columns = 16 };

static double field[columns];

static void relax(void) {
    int i;
    for (i = 1; i + 1 < columns; ++i)
        field[i] = (field[i - 1] + field[i + 1]) / 2;
}

int main(int argc, char** argv) {
    measure_comm* team = NULL;
    measure_regions* regions = NULL;
    measure_region const *step = NULL, *sum = NULL;
    double mine, all = 0;
    int i;

    MPI_Init(&argc, &argv);
    field[0] = 1;
    measure_comm_create(MPI_COMM_WORLD, &team, NULL);
    measure_regions_create(team, NULL, 0, &regions, NULL);
    measure_regions_get(regions, "step", &step, NULL);
    measure_regions_get(regions, "sum", &sum, NULL);

    for (i = 0; i < steps; ++i) {
        measure_region_begin(step);
        relax();
        mine = field[columns / 2];
        measure_region_begin(sum);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        measure_region_end(sum);
        measure_region_end(step);
    }

    measure_regions_end(regions, NULL); /* rank 0 warns if the record cannot be written */
    if (measure_comm_rank(team) == 0)
        printf("sum of the middle columns: %g\n", all);
    measure_regions_free(regions);
    measure_comm_free(team);
    MPI_Finalize();
    return 0;
}
