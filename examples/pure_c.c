/* How long does the exchange with my neighbours take, in a plain C program? */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: pure_c [RECORD]
 *
 * Each process of a ring sends to its right neighbour and receives from its left one. All processes start each sample
 * at one instant of a global clock. The time of a sample is that of the slowest process.
 */
#include <measure.h>
#include <stdio.h>
#include <stdlib.h>

struct ring {
    MPI_Comm comm;
    int left, right, bytes;
    char *out, *in;
};

/* The timed exchange. A return value other than 0 makes the sample invalid. */
static int exchange(void* context, measure_iteration iteration) {
    struct ring const* ring = context;
    (void)iteration;
    return MPI_Sendrecv(ring->out, ring->bytes, MPI_BYTE, ring->right, 0, ring->in, ring->bytes, MPI_BYTE, ring->left,
                        0, ring->comm, MPI_STATUS_IGNORE);
}

static void print(measure_result const* result, int bytes) {
    measure_estimate e;
    measure_counts n;
    measure_result_estimate(result, &e, sizeof e, NULL);
    measure_result_counts(result, &n, sizeof n, NULL);
    printf("%8d B  %9.3f us +- %.3f us  %lld of %lld samples valid, stopped: %s\n", bytes, e.value * 1e6,
           e.standard_error * 1e6, (long long)n.valid, (long long)n.attempts, measure_result_stop_reason(result));
}

/* Measures one point and adds a line to the table and to the record. */
static int point(measure_comm const* team, measure_plan const* plan, measure_record* record, struct ring* ring,
                 int* incomplete, measure_error* error) {
    measure_operation const operation = {.body = exchange, .context = ring};
    measure_result* result = NULL;
    measure_point* at = NULL;
    measure_counts n;
    int code = measure_run(team, plan, &operation, sizeof operation, &result, error);
    if (code == MEASURE_OK)
        code = measure_point_create(&at, error);
    if (code == MEASURE_OK) {
        measure_point_set_integer(at, "ranks", measure_comm_size(team), NULL);
        measure_point_set_integer(at, "bytes", ring->bytes, NULL);
        code = measure_record_point(record, "ring", at, result, error);
        if (measure_result_counts(result, &n, sizeof n, NULL) == MEASURE_OK && n.valid == 0)
            *incomplete = 1;
    }
    if (code == MEASURE_OK && measure_comm_rank(team) == 0)
        print(result, ring->bytes);
    measure_point_free(at);
    measure_result_free(result);
    return code;
}

int main(int argc, char** argv) {
    struct ring ring = {.comm = MPI_COMM_WORLD, .bytes = 0};
    int const largest = 1 << 16;
    int exit_code = 2;
    measure_comm* team = NULL;
    measure_plan* plan = NULL;
    measure_record* record = NULL;
    measure_error error = {.code = MEASURE_OK};

    MPI_Init(&argc, &argv);
    ring.out = calloc((size_t)largest, 1);
    ring.in = calloc((size_t)largest, 1);
    if (ring.out == NULL || ring.in == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);

    measure_comm_create(ring.comm, &team, &error);
    ring.right = (measure_comm_rank(team) + 1) % measure_comm_size(team);
    ring.left = (measure_comm_rank(team) + measure_comm_size(team) - 1) % measure_comm_size(team);

    /* Errors here need no check: a setting that fails makes the plan fail when it is used. */
    measure_plan_create("slotted", &plan, &error);
    measure_plan_set_text(plan, "sync", "ring", NULL);
    measure_plan_set_number(plan, "relative_error", 0.05, NULL);
    measure_plan_set_number(plan, "at_most", 400, NULL);
    measure_plan_set_number(plan, "time_budget", 1, NULL);

    if (measure_record_open(team, plan, argc > 1 ? argv[1] : "/dev/null", "pure_c", argc, argv, &record, &error) ==
        MEASURE_OK) {
        int incomplete = 0, code = MEASURE_OK;
        for (ring.bytes = 8; ring.bytes <= largest && code == MEASURE_OK; ring.bytes *= 16)
            code = point(team, plan, record, &ring, &incomplete, &error);
        exit_code = code != MEASURE_OK ? 1 : incomplete ? 4 : 0;
        if (code == MEASURE_OK)
            measure_record_end(record, exit_code, NULL, &error);
        else
            measure_record_end(record, exit_code, error.message, NULL);
    }
    if (error.code != MEASURE_OK && measure_comm_rank(team) == 0)
        fprintf(stderr, "pure_c: error: %s\n", error.message);
    measure_record_free(record);
    measure_plan_free(plan);
    measure_comm_free(team);
    free(ring.out);
    free(ring.in);
    MPI_Finalize();
    return exit_code;
}
