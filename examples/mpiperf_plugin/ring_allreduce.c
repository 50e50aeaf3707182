/* How does my own Allreduce compare with that of the MPI library? */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *     mpiexec -n 2 mpiperf --plugin ring_allreduce.so -X 32KiB -S 32 Allreduce RingAllreduce
 *
 * The data pass around a ring twice: first to form the sum, block by block, then to distribute it. Each process sends
 * 2 (n - 1) / n of the data, which is the minimum, in 2 (n - 1) messages.
 */
#include <limits.h>
#include <mpiperf_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of a point. Block i is [first[i], first[i + 1]). */
struct ring {
    MPI_Comm comm;
    int rank, size;
    int64_t count;
    int* first;
    double* incoming;
};

static void buffers(void* self, mpiperf_params const* params, int64_t* send, int64_t* receive) {
    (void)self;
    *send = params->bytes;
    *receive = params->bytes;
}

static void release(void* context) {
    struct ring* ring = context;
    free(ring->first);
    free(ring->incoming);
    free(ring);
}

static int init(void* self, mpiperf_params const* params, void** context) {
    struct ring* ring;
    int i;
    (void)self;
    if (params->count > INT_MAX) {
        snprintf(params->message, MPIPERF_MESSAGE_SIZE, "more than %d doubles", INT_MAX);
        return MPI_ERR_COUNT;
    }
    ring = malloc(sizeof *ring);
    if (ring == NULL)
        return MPI_ERR_NO_MEM;
    ring->comm = params->comm;
    ring->rank = params->rank;
    ring->size = params->size;
    ring->count = params->count;
    ring->first = malloc(((size_t)params->size + 1) * sizeof *ring->first);
    ring->incoming = malloc(((size_t)(params->count / params->size) + 1) * sizeof *ring->incoming);
    if (ring->first == NULL || ring->incoming == NULL) {
        release(ring);
        return MPI_ERR_NO_MEM;
    }
    for (i = 0; i <= params->size; ++i)
        ring->first[i] = (int)(params->count * i / params->size);
    *context = ring;
    return MPI_SUCCESS;
}

/* One step: sends block `give` to the right and receives block `take` from the left into `place`. */
static int step(struct ring const* ring, double const* data, int give, int take, double* place) {
    int const right = (ring->rank + 1) % ring->size, left = (ring->rank + ring->size - 1) % ring->size;
    return MPI_Sendrecv(data + ring->first[give], ring->first[give + 1] - ring->first[give], MPI_DOUBLE, right, 0,
                        place, ring->first[take + 1] - ring->first[take], MPI_DOUBLE, left, 0, ring->comm,
                        MPI_STATUS_IGNORE);
}

static int run(void* context, mpiperf_run const* args) {
    struct ring const* ring = context;
    double* sum = args->receive;
    int const n = ring->size;
    int k;
    memcpy(sum, args->send, (size_t)ring->count * sizeof *sum);
    for (k = 0; k < n - 1; ++k) {
        int const give = (ring->rank - k + n) % n, take = (ring->rank - k - 1 + n) % n;
        int i, code = step(ring, sum, give, take, ring->incoming);
        if (code != MPI_SUCCESS)
            return code;
        for (i = ring->first[take]; i < ring->first[take + 1]; ++i)
            sum[i] += ring->incoming[i - ring->first[take]];
    }
    for (k = 0; k < n - 1; ++k) {
        int const give = (ring->rank - k + 1 + n) % n, take = (ring->rank - k + n) % n;
        int const code = step(ring, sum, give, take, sum + ring->first[take]);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

static int verify(void* context, mpiperf_run const* args) {
    struct ring const* ring = context;
    double* const mine = args->send;
    double const* const sum = args->receive;
    double const n = ring->size;
    int64_t i;
    int code;
    for (i = 0; i < ring->count; ++i)
        mine[i] = ring->rank + (double)i;
    code = run(context, args);
    for (i = 0; i < ring->count && code == MPI_SUCCESS; ++i)
        if (sum[i] != n * (n - 1) / 2 + n * (double)i)
            code = MPI_ERR_OTHER;
    return code;
}

MPIPERF_PLUGIN(registry) {
    static mpiperf_test const ring = {.name = "RingAllreduce",
                                      .text = "sum of c doubles around a ring",
                                      .element = sizeof(double),
                                      .buffers = buffers,
                                      .init = init,
                                      .run = run,
                                      .verify = verify,
                                      .free = release};
    return registry->add(registry, &ring);
}
