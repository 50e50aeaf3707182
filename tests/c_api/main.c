/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface, called from C. Prints a line for each case that passes and for each condition that does not hold.
 *
 * usage: c_api_test FOLDER */
#include "c_api_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
static int my_rank = 0;

void check_that(int holds, char const* condition, char const* file, int line) {
    if (!holds) {
        ++failures;
        printf("%s:%d: rank %d: %s\n", file, line, my_rank, condition);
    }
}

void check_failure(int code, int expected, char const* part, measure_error const* error, char const* call,
                   char const* file, int line) {
    int const holds = code == expected && error->code == expected && strstr(error->message, part) != NULL;
    check_that(holds, call, file, line);
    if (!holds)
        printf("    code %d, error %d '%s'; expected %d '%s'\n", code, error->code, error->message, expected, part);
}

static void run_case(char const* name, void (*test)(struct world const*), struct world const* world) {
    int const before = failures;
    int mine, any = 0;
    test(world);
    mine = failures > before;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, world->comm);
    if (world->rank == 0)
        printf("%s %s\n", any ? "FAILED" : "passed", name);
    fflush(stdout);
}

/* Calls that work without MPI. */
static void test_outside_of_mpi(void) {
    measure_error error;
    measure_comm* comm = NULL;
    measure_timer* timer = NULL;
    FAILS(measure_comm_create(MPI_COMM_WORLD, &comm, &error), MEASURE_ERROR_ARGUMENT, "MPI is not initialised");
    CHECK(comm == NULL);
    FAILS(measure_comm_create_fortran(0, &comm, NULL) == MEASURE_ERROR_ARGUMENT ? MEASURE_ERROR_ARGUMENT : -1,
          MEASURE_ERROR_ARGUMENT, "");
    CHECK(measure_comm_create_solo(&comm, &error) == MEASURE_OK && error.code == MEASURE_OK && error.message[0] == 0);
    CHECK(measure_comm_rank(comm) == 0 && measure_comm_size(comm) == 1);
    CHECK(measure_timer_create(comm, "monotonic", &timer, &error) == MEASURE_OK);
    measure_timer_free(timer);
    FAILS(measure_timer_create(comm, "mpi_wtime", &timer, &error), MEASURE_ERROR_ARGUMENT, "mpi_wtime");
    measure_comm_free(comm);
}

static int never_called(void* context, measure_iteration iteration) {
    (void)context;
    (void)iteration;
    CHECK(!"a body is called without MPI");
    return 1;
}

/* A communicator that outlives MPI does not end the program. */
static void test_after_mpi(measure_comm* comm, measure_timer* timer) {
    measure_operation const operation = {.body = never_called};
    measure_error error;
    measure_plan* plan = NULL;
    measure_result* result = NULL;
    measure_clock* clock = NULL;
    measure_regions* regions = NULL;
    measure_plan_create("slotted", &plan, &error);
    FAILS(measure_run(comm, plan, &operation, sizeof operation, &result, &error), MEASURE_ERROR_ARGUMENT,
          "MPI is finalised");
    FAILS(measure_clock_create(comm, timer, "linear", &clock, &error), MEASURE_ERROR_ARGUMENT, "MPI is finalised");
    FAILS(measure_regions_create(comm, NULL, 0, &regions, &error), MEASURE_ERROR_ARGUMENT, "MPI is finalised");
    CHECK(result == NULL && clock == NULL && regions == NULL);
    measure_plan_free(plan);
}

int main(int argc, char** argv) {
    struct world world = {.comm = MPI_COMM_WORLD, .folder = argc > 1 ? argv[1] : "."};
    measure_error error;
    test_outside_of_mpi();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world.comm, &world.rank);
    MPI_Comm_size(world.comm, &world.size);
    my_rank = world.rank;
    CHECK(measure_comm_create(world.comm, &world.team, &error) == MEASURE_OK);
    CHECK(measure_timer_create(world.team, "Monotonic_Raw", &world.timer, &error) == MEASURE_OK);

    run_case("communicators", test_communicators, &world);
    run_case("timers", test_timers, &world);
    run_case("clocks", test_clocks, &world);
    run_case("synthetic clocks", test_synthetic_clocks, &world);
    run_case("plans", test_plans, &world);
    run_case("invalid plans", test_plans_that_cannot_be, &world);
    run_case("runs", test_runs, &world);
    run_case("results", test_results, &world);
    run_case("failing runs", test_failing_runs, &world);
    run_case("records", test_records, &world);
    run_case("invalid records", test_records_that_cannot_be, &world);
    run_case("a full disk", test_full_disk, &world);
    run_case("regions", test_regions, &world);
    run_case("invalid regions", test_regions_that_cannot_be, &world);

    /* MPICH leaks a communicator that outlives it, which a sanitizer would report. */
    if (getenv("SANITIZED") != NULL) {
        measure_comm_free(world.team);
        world.team = NULL;
    }
    MPI_Finalize();
    if (world.team != NULL)
        test_after_mpi(world.team, world.timer);
    measure_comm_free(world.team);
    measure_timer_free(world.timer);
    test_outside_of_mpi();
    return failures > 0;
}
