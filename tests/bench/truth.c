/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the time of a collective without any code of the library. The ranks of one host wait for a common instant of
 * CLOCK_MONOTONIC and time one call. The longest time over the ranks counts. 3000 warm-up calls do not count.
 *
 * usage: truth Bcast|Allreduce|Alltoall BYTES RUNS [CALLS SLOT_US]
 *
 * Prints the median in microseconds and the number of valid runs. The ranks agree on a start by a barrier and a
 * broadcast every CALLS calls (default 1). The calls begin SLOT_US microseconds apart (default 100).
 */
#include <mpi.h>
#include <time.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { warm_up = 3000, ahead_ns = 20000, late_ns = 200, slot_us = 100 };

static long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(void const* a, void const* b) {
    double const x = *(double const*)a;
    double const y = *(double const*)b;
    return (x > y) - (x < y);
}

static void call(char const* operation, int bytes, char* in, char* out) {
    if (strcmp(operation, "Bcast") == 0)
        MPI_Bcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    else if (strcmp(operation, "Allreduce") == 0)
        MPI_Allreduce(in, out, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Alltoall(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4 && argc != 6) {
        if (rank == 0)
            fprintf(stderr, "usage: truth Bcast|Allreduce|Alltoall BYTES RUNS [CALLS SLOT_US]\n");
        MPI_Finalize();
        return 2;
    }
    int const bytes = atoi(argv[2]);
    int const runs = atoi(argv[3]);
    int const calls = argc > 4 ? atoi(argv[4]) : 1;
    long long const slot = (long long)(1000 * (argc > 5 ? atof(argv[5]) : slot_us));
    size_t const room = (size_t)bytes * (size_t)size + 64;
    char* const in = malloc(room);
    char* const out = malloc(room);
    double* const mine = malloc((size_t)runs * sizeof(double));
    double* const most = malloc((size_t)runs * sizeof(double));
    memset(in, 0, room);
    memset(out, 0, room);
    memset(mine, 0, (size_t)runs * sizeof(double));
    memset(most, 0, (size_t)runs * sizeof(double));

    long long start = 0;
    for (int i = -warm_up; i < runs; ++i) {
        start += slot;
        if ((i + warm_up) % calls == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0)
                start = now_ns() + ahead_ns;
            MPI_Bcast(&start, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
        }
        int const in_time = now_ns() < start;
        long long begin = 0;
        while ((begin = now_ns()) < start) {
        }
        int const punctual = in_time && begin - start < late_ns;
        call(argv[1], bytes, in, out);
        double const time = 1e-3 * (double)(now_ns() - begin);
        if (i >= 0)
            mine[i] = punctual ? time : 1e300;
    }
    MPI_Reduce(mine, most, runs, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        int valid = 0;
        qsort(most, (size_t)runs, sizeof(double), compare);
        while (valid < runs && most[valid] < 1e299)
            ++valid;
        if (valid > 0)
            printf("%.4f %d\n", most[valid / 2], valid);
        else
            printf("- 0\n");
    }
    free(most);
    free(mine);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
