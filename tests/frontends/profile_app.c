/* SPDX-License-Identifier: BSD-3-Clause
 * An application with known calls for `measure profile`: profile_app WHAT [ARGUMENT]. The calls of each WHAT are listed
 * in measure_profile_test.py.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ranks = 16, n = 8, many_requests = 100000 };

static int rank, size;
static MPI_Status statuses[200]; /* compilers regard MPICH's MPI_STATUSES_IGNORE as too short an array */
static int in[4096 * most_ranks], out[4096 * most_ranks];

static void spin(double seconds) {
    double const end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        continue;
}

static void collectives(MPI_Comm comm) {
    int counts[most_ranks], places[most_ranks], bytes[most_ranks];
    MPI_Datatype types[most_ranks];
    for (int i = 0; i < size; ++i) {
        counts[i] = n;
        places[i] = i * n;
        bytes[i] = places[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    MPI_Barrier(comm);
    MPI_Bcast(in, n, MPI_INT, 0, comm);
    MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, 0, comm);
    MPI_Gatherv(in, n, MPI_INT, out, counts, places, MPI_INT, 0, comm);
    MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, 0, comm);
    MPI_Scatterv(in, counts, places, MPI_INT, out, n, MPI_INT, 0, comm);
    MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm);
    MPI_Allgatherv(in, n, MPI_INT, out, counts, places, MPI_INT, comm);
    MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
    MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
    MPI_Alltoallw(in, counts, bytes, types, out, counts, bytes, types, comm);
    MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm);
    MPI_Scan(in, out, n, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, comm);
    /* In place: the same traffic, so the keys are the same. */
    MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, comm);
    if (rank == 0) /* arguments that are not significant on a rank are invalid there */
        MPI_Gather(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, out, n, MPI_INT, 0, comm);
    else
        MPI_Gather(in, n, MPI_INT, NULL, -7, MPI_DATATYPE_NULL, 0, comm);
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibcast(in, n, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ialltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A ring: n elements to the left and, in calls with different counts, 2 n to the right. */
static void neighbours(void) {
    int const dims[1] = {size}, periods[1] = {1};
    int const alike[2] = {n, n}, to[2] = {n, 2 * n}, from[2] = {2 * n, n}, places[2] = {0, 2 * n};
    MPI_Aint const bytes[2] = {0, 2 * n * (MPI_Aint)sizeof(int)};
    MPI_Datatype const types[2] = {MPI_INT, MPI_INT};
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    MPI_Neighbor_allgather(in, n, MPI_INT, out, n, MPI_INT, ring);
    MPI_Neighbor_allgatherv(in, n, MPI_INT, out, alike, places, MPI_INT, ring);
    MPI_Neighbor_alltoall(in, n, MPI_INT, out, n, MPI_INT, ring);
    MPI_Neighbor_alltoallv(in, to, places, MPI_INT, out, from, places, MPI_INT, ring);
    MPI_Neighbor_alltoallw(in, to, bytes, types, out, from, bytes, types, ring);
    MPI_Comm_free(&ring);
}

#ifdef BODIES_HAVE_PERSISTENT
static void start_twice(MPI_Request request) {
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static void persistent(MPI_Comm comm) {
    int counts[most_ranks], places[most_ranks];
    for (int i = 0; i < size; ++i) {
        counts[i] = n;
        places[i] = i * n;
    }
    MPI_Request request;
    MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
    start_twice(request);
    MPI_Bcast_init(in, n, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
    start_twice(request);
    MPI_Allreduce_init(in, out, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    start_twice(request);
    MPI_Alltoallv_init(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request);
    start_twice(request);
}
#endif

static void point_to_point(void) {
    int const right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request requests[2];
    MPI_Status status;
    char* const buffer = malloc(1 << 16);
    for (int i = 0; i < 3; ++i) {
        if (rank % 2 == 0) {
            MPI_Send(in, 100, MPI_CHAR, right, 0, MPI_COMM_WORLD);
            MPI_Recv(out, 4096, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(out, 4096, MPI_CHAR, left, 0, MPI_COMM_WORLD, &status);
            MPI_Send(in, 100, MPI_CHAR, right, 0, MPI_COMM_WORLD);
        }
    }
    for (int i = 0; i < 5; ++i) {
        MPI_Irecv(out, 1000, MPI_CHAR, left, 1, MPI_COMM_WORLD, requests);
        MPI_Isend(in, 1000, MPI_CHAR, right, 1, MPI_COMM_WORLD, requests + 1);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Sendrecv(in, 10, MPI_INT, right, 2, out, 10, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv_init(out, 500, MPI_CHAR, left, 3, MPI_COMM_WORLD, requests);
    MPI_Send_init(in, 500, MPI_CHAR, right, 3, MPI_COMM_WORLD, requests + 1);
    for (int i = 0; i < 4; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
    MPI_Buffer_attach(buffer, 1 << 16);
    MPI_Bsend(in, 64, MPI_CHAR, right, 4, MPI_COMM_WORLD);
    MPI_Probe(left, 4, MPI_COMM_WORLD, &status);
    MPI_Recv(out, 64, MPI_CHAR, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Message message;
    MPI_Isend(in, 20, MPI_CHAR, right, 5, MPI_COMM_WORLD, requests);
    MPI_Mprobe(left, 5, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(out, 20, MPI_CHAR, &message, &status);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&(void*){NULL}, &(int){0});
    /* A message to MPI_PROC_NULL moves nothing. */
    MPI_Send(in, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    /* Many messages at once, to which MPI may give the same request. */
    MPI_Request many[200];
    for (int i = 0; i < 100; ++i)
        MPI_Irecv(out + i, 1, MPI_INT, left, 6, MPI_COMM_WORLD, many + i);
    for (int i = 0; i < 100; ++i)
        MPI_Isend(in + i, 1, MPI_INT, right, 6, MPI_COMM_WORLD, many + 100 + i);
    MPI_Waitall(200, many, statuses);
    free(buffer);
}

/* Other kinds of sends, and calls that complete requests. Persistent requests are inactive between their starts. */
static void completions(void) {
    int const right = (rank + 1) % size, left = (rank + size - 1) % size;
    int flag, which, number, indices[2];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Irecv(out, 10, MPI_INT, left, 0, MPI_COMM_WORLD, requests);
    MPI_Barrier(MPI_COMM_WORLD); /* a ready send needs a posted receive */
    MPI_Rsend(in, 10, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Waitany(1, requests, &which, &status);
    MPI_Irecv(out, 20, MPI_INT, left, 1, MPI_COMM_WORLD, requests);
    MPI_Ssend(in, 20, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Waitsome(1, requests, &number, indices, statuses);
    MPI_Sendrecv_replace(in, 5, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &status);
    MPI_Send_init(in, 30, MPI_INT, right, 3, MPI_COMM_WORLD, requests);
    MPI_Recv_init(out, 60, MPI_INT, left, 3, MPI_COMM_WORLD, requests + 1);
    MPI_Test(requests, &flag, &status);
    MPI_Testall(2, requests, &flag, statuses);
    MPI_Testany(2, requests, &which, &flag, &status);
    MPI_Testsome(2, requests, &number, indices, statuses);
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
}

static void one_sided(void) {
    int const right = (rank + 1) % size;
    MPI_Win win;
    int* memory = NULL;
    int found = 0;
    MPI_Win_allocate(1024, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(in, n, MPI_INT, right, 0, n, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(out, n, MPI_INT, right, 0, n, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(in, n, MPI_INT, right, 0, n, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(in, &found, MPI_INT, right, 0, MPI_SUM, win);
    MPI_Win_flush_all(win);
    /* Each call uses its own part of the window. */
    int swapped = 0;
    MPI_Request request;
    MPI_Compare_and_swap(in, in + 1, &swapped, MPI_INT, right, 1, win);
    MPI_Get_accumulate(in, n, MPI_INT, out, n, MPI_INT, right, 10, n, MPI_INT, MPI_SUM, win);
    MPI_Rput(in, n, MPI_INT, right, 20, n, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(out + 10, n, MPI_INT, right, 30, n, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Raccumulate(in, n, MPI_INT, right, 40, n, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(in, n, MPI_INT, out + 20, n, MPI_INT, right, 50, n, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void files(char const* path) {
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 256, in, 256, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, rank * 256, in, 256, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, rank * 256, out, 256, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    /* With the shared file pointer, and in split calls. */
    MPI_File_write_shared(file, in, 256, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(file, in, 256, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_ordered_begin(file, in, 256, MPI_BYTE);
    MPI_File_write_ordered_end(file, in, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_shared(file, out, 256, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, rank * 256, out, 256, MPI_BYTE);
    MPI_File_read_at_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static void communicators(void) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Bcast(in, 4, MPI_INT, 0, half);
    MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    /* Between two groups: received data come from the other group. */
    MPI_Comm mine, between;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 9, &between);
    MPI_Allgather(in, 4, MPI_INT, out, 4, MPI_INT, between);
    MPI_Bcast(in, 4, MPI_INT, rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&mine);
}

#if MPI_VERSION >= 4
static void one_session(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    for (int i = 0; i < 5; ++i)
        MPI_Bcast(in, 4, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

static void five_broadcasts_in_the_world(void) {
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 5; ++i)
        MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
}

static void* many_sessions(void* unused) {
    for (int i = 0; i < 50; ++i) {
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Session_finalize(&session);
    }
    return unused;
}

/* Uses MPI in several sessions one after another, or at once. */
static int sessions(char const* what) {
    /* MPICH 4.0 crashes if it is initialised a second time. No wrapper sees this session. */
    MPI_Session keeps_mpi_alive, open;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &keeps_mpi_alive);
    if (strcmp(what, "sessions") == 0) {
        one_session();
    } else if (strcmp(what, "sessions_again") == 0) {
        one_session();
        one_session();
    } else if (strcmp(what, "sessions_then_world") == 0) {
        one_session();
        five_broadcasts_in_the_world();
        MPI_Finalize();
    } else if (strcmp(what, "sessions_across_init") == 0) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &open);
        five_broadcasts_in_the_world();
        MPI_Session_finalize(&open);
        MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Finalize();
    } else if (strcmp(what, "sessions_of_threads") == 0) {
        pthread_t thread[4];
        for (int i = 0; i < 4; ++i)
            pthread_create(thread + i, NULL, many_sessions, NULL);
        for (int i = 0; i < 4; ++i)
            pthread_join(thread[i], NULL);
        one_session();
    }
    return PMPI_Session_finalize(&keeps_mpi_alive);
}
#else
static int sessions(char const* what) { return what != NULL; }
#endif

static void* thread_main(void* number) {
    int const tag = *(int*)number;
    int buffer[2] = {0, 0};
    for (int i = 0; i < 1000; ++i)
        MPI_Sendrecv(buffer, 1, MPI_INT, rank, tag, buffer + 1, 1, MPI_INT, rank, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return NULL;
}

/* Four threads at a time, three times. */
static void threads(void) {
    for (int round = 0; round < 3; ++round) {
        pthread_t thread[4];
        int number[4];
        for (int i = 0; i < 4; ++i) {
            number[i] = i;
            pthread_create(thread + i, NULL, thread_main, number + i);
        }
        for (int i = 0; i < 4; ++i)
            pthread_join(thread[i], NULL);
    }
}

static MPI_Status many_statuses[many_requests];
static void* waits_for_many(void* requests) {
    MPI_Waitall(many_requests, requests, many_statuses);
    return NULL;
}

/* 100 threads, one after another, each of which waits for 100000 null requests. Rank 0 prints by how many KiB the
 * process has grown since the tenth thread. */
static void many_waits(void) {
    struct rusage use[2];
    MPI_Request* const requests = malloc(many_requests * sizeof *requests);
    for (int i = 0; i < many_requests; ++i)
        requests[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < 100; ++i) {
        pthread_t thread;
        pthread_create(&thread, NULL, waits_for_many, requests);
        pthread_join(thread, NULL);
        if (i == 9)
            getrusage(RUSAGE_SELF, use);
    }
    getrusage(RUSAGE_SELF, use + 1);
    if (rank == 0)
        printf("%ld\n", use[1].ru_maxrss - use[0].ru_maxrss);
    free(requests);
}

static void children(void) {
    for (int i = 0; i < 2; ++i) {
        pid_t const child = fork();
        if (child == 0) {
            if (i == 0)
                exit(0);
            execlp("true", "true", (char*)NULL);
            _exit(1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0)
            abort();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* 10^4 call sites. */
static void places(void) {
    int flag;
    MPI_Request none = MPI_REQUEST_NULL;
#define ONE MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
#define TEN(x) x x x x x x x x x x
    TEN(TEN(TEN(TEN(ONE))))
}

/* One rank is 5 ms late for each of 50 halo exchanges. A reduction follows each of them. */
static void late(int which) {
    for (int i = 0; i < 50; ++i) {
        if (rank == which)
            spin(5e-3);
        MPI_Sendrecv(in, 100, MPI_INT, (rank + 1) % size, 0, out, 100, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* Broadcasts of 1 MiB that all ranks begin together. */
static void broadcasts(int number) {
    enum { bytes = 1 << 20 };
    static char data[bytes];
    for (int i = 0; i < number; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

/* Times 20 calls with the application's own clock. Rank 0 prints the sum and the number of calls. */
static void own_times(void) {
    double sum = 0;
    for (int i = 0; i < 20; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            usleep(3000);
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        clock_gettime(CLOCK_MONOTONIC, &end);
        sum += (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    }
    if (rank == 0)
        printf("%.9f\n", sum);
}

int main(int argc, char** argv) {
    char const* const what = argv[1];
    if (argc < 2)
        return 2;
    if (strncmp(what, "sessions", strlen("sessions")) == 0)
        return sessions(what);
    int provided = 0;
    if (strcmp(what, "threads") == 0 || strcmp(what, "many_waits") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int const number = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(what, "collectives") == 0)
        collectives(MPI_COMM_WORLD);
    else if (strcmp(what, "neighbours") == 0)
        neighbours();
    else if (strcmp(what, "point_to_point") == 0)
        point_to_point();
    else if (strcmp(what, "completions") == 0)
        completions();
#ifdef BODIES_HAVE_PERSISTENT
    else if (strcmp(what, "persistent") == 0)
        persistent(MPI_COMM_WORLD);
#endif
    else if (strcmp(what, "one_sided") == 0)
        one_sided();
    else if (strcmp(what, "files") == 0)
        files(argv[2]);
    else if (strcmp(what, "communicators") == 0)
        communicators();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "many_waits") == 0)
        many_waits();
    else if (strcmp(what, "children") == 0)
        children();
    else if (strcmp(what, "places") == 0)
        places();
    else if (strcmp(what, "late") == 0)
        late(number);
    else if (strcmp(what, "broadcasts") == 0)
        broadcasts(number);
    else if (strcmp(what, "own_times") == 0)
        own_times();
    else if (strcmp(what, "steady") == 0)
        for (int i = 0; i < number; ++i)
            MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else {
        /* All ranks have made one call when one of them ends abnormally. */
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(300000); /* the launcher may kill the others immediately */
        if (strcmp(what, "abort") == 0 && rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 7);
        if (strcmp(what, "exit") == 0)
            exit(0);
        if (strcmp(what, "_exit") == 0)
            _exit(0);
        if (strcmp(what, "kill") == 0 && rank == size - 1)
            raise(number);
        if (strcmp(what, "chdir") == 0)
            return chdir("/") != 0 || MPI_Finalize();
        sleep(60);
    }
    MPI_Finalize();
    return 0;
}
