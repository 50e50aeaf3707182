/* SPDX-License-Identifier: BSD-3-Clause */
/* Points and records, and what happens when memory runs out. */
#include "c_api_test.h"

#include <signal.h>
#include <sys/resource.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int barrier(void* context, measure_iteration iteration) {
    (void)iteration;
    return MPI_Barrier(*(MPI_Comm const*)context);
}

static measure_plan* sampled_plan(void) {
    measure_plan* plan = NULL;
    CHECK(measure_plan_create("collective", &plan, NULL) == MEASURE_OK);
    measure_plan_set_number(plan, "count", 8, NULL);
    measure_plan_set_text(plan, "keep", "samples", NULL);
    return plan;
}

static measure_result* measured(struct world const* world, measure_comm const* team, measure_plan const* plan) {
    measure_operation const operation = {.body = barrier, .context = (void*)&world->comm};
    measure_result* result = NULL;
    CHECK(measure_run(team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    return result;
}

static void path_in(struct world const* world, char const* name, char path[4096]) {
    snprintf(path, 4096, "%s/%s", world->folder, name);
}

void test_records(struct world const* world) {
    char path[4096];
    char* argv[] = {"c_api_test", "with an argument", NULL};
    measure_plan* const plan = sampled_plan();
    measure_result* const result = measured(world, world->team, plan);
    measure_point* at = NULL;
    measure_record* record = NULL;
    measure_error error;
    path_in(world, "record.jsonl", path);
    CHECK(measure_record_open(world->team, plan, path, "c_api_test", 2, argv, &record, &error) == MEASURE_OK);
    {
        measure_record* second = NULL;
        FAILS(measure_record_open(world->team, plan, path, "c_api_test", 0, NULL, &second, &error), MEASURE_ERROR_FILE,
              "another run is writing it");
    }
    CHECK(measure_point_create(&at, &error) == MEASURE_OK);
    CHECK(measure_point_set_integer(at, "bytes", INT64_C(5000000000), &error) == MEASURE_OK);
    CHECK(measure_point_set_number(at, "share", 0.25, &error) == MEASURE_OK);
    CHECK(measure_point_set_text(at, "kind", "dense \"A\"", &error) == MEASURE_OK);
    CHECK(measure_record_point(record, "Barrier", at, result, &error) == MEASURE_OK);
    CHECK(measure_point_set_integer(at, "bytes", 8, &error) == MEASURE_OK);
    CHECK(measure_record_rate(record, "Barrier", at, result, "bandwidth", 8, &error) == MEASURE_OK);
    CHECK(measure_record_rate(record, "Barrier", at, result, "rate", 2, &error) == MEASURE_OK);
    CHECK(measure_record_rate(record, "Barrier", at, result, "flops", 100, &error) == MEASURE_OK);
    CHECK(measure_record_missing(record, "Barrier", at, "skipped", "too large", &error) == MEASURE_OK);
    CHECK(measure_record_missing(record, "Barrier", NULL, "crashed", "wrong sum", &error) == MEASURE_OK);
    CHECK(measure_record_point(record, "Bare", NULL, result, &error) == MEASURE_OK);
    CHECK(measure_record_end(record, 4, NULL, &error) == MEASURE_OK);
    FAILS(measure_record_end(record, 0, NULL, &error), MEASURE_ERROR_ARGUMENT, "has already ended");
    FAILS(measure_record_point(record, "Barrier", at, result, &error), MEASURE_ERROR_ARGUMENT, "has already ended");
    measure_record_free(record);

    path_in(world, "failed.jsonl", path);
    CHECK(measure_record_open(world->team, plan, path, "c_api_test", 0, NULL, &record, &error) == MEASURE_OK);
    CHECK(measure_record_end(record, 1, "it broke", &error) == MEASURE_OK);
    measure_record_free(record);
    measure_point_free(at);
    measure_result_free(result);
    measure_plan_free(plan);
}

static void test_wrong_opening(struct world const* world, measure_plan const* plan) {
    char path[4096];
    char* argv[] = {NULL, NULL};
    measure_record* record = NULL;
    measure_plan* wrong = sampled_plan();
    measure_comm const* const team = world->team;
    measure_error error;
    path_in(world, "no/such/folder.jsonl", path);
    FAILS(measure_record_open(team, plan, path, "p", 0, NULL, &record, &error), MEASURE_ERROR_FILE, "no/such/folder");
    CHECK(record == NULL);
    FAILS(measure_record_open(team, plan, "/dev/full", "p", 0, NULL, &record, &error), MEASURE_ERROR_FILE, "space");
    path_in(world, "never.jsonl", path);
    FAILS(measure_record_open(NULL, plan, path, "p", 0, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "communicator");
    FAILS(measure_record_open(team, NULL, path, "p", 0, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "the plan");
    FAILS(measure_record_open(team, plan, NULL, "p", 0, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "the path");
    FAILS(measure_record_open(team, plan, path, NULL, 0, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "the program");
    FAILS(measure_record_open(team, plan, path, "", 0, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "is empty");
    FAILS(measure_record_open(team, plan, path, "p", 0, NULL, NULL, &error), MEASURE_ERROR_ARGUMENT, "the record");
    FAILS(measure_record_open(team, plan, path, "p", 1, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "argc");
    FAILS(measure_record_open(team, plan, path, "p", -1, argv, &record, &error), MEASURE_ERROR_ARGUMENT, "argc");
    FAILS(measure_record_open(team, plan, path, "p", 1, argv, &record, &error), MEASURE_ERROR_ARGUMENT, "is NULL");
    measure_plan_set_number(wrong, "count", -1, NULL);
    FAILS(measure_record_open(team, wrong, path, "p", 0, NULL, &record, &error), MEASURE_ERROR_ARGUMENT, "'count'");
    measure_plan_free(wrong);
}

static void test_wrong_points(void) {
    measure_point* at = NULL;
    measure_error error;
    FAILS(measure_point_create(NULL, &error), MEASURE_ERROR_ARGUMENT, "the place for the point");
    CHECK(measure_point_create(&at, &error) == MEASURE_OK);
    FAILS(measure_point_set_integer(NULL, "bytes", 8, &error), MEASURE_ERROR_ARGUMENT, "the point is NULL");
    FAILS(measure_point_set_integer(at, NULL, 8, &error), MEASURE_ERROR_ARGUMENT, "the name of the coordinate");
    FAILS(measure_point_set_integer(at, "bytes", -5, &error), MEASURE_ERROR_ARGUMENT,
          "the coordinate 'bytes' cannot be -5");
    FAILS(measure_point_set_integer(at, "ranks", 0, &error), MEASURE_ERROR_ARGUMENT,
          "the coordinate 'ranks' cannot be 0");
    FAILS(measure_point_set_number(at, "", 8, &error), MEASURE_ERROR_ARGUMENT, "is empty");
    FAILS(measure_point_set_number(at, "x", NAN, &error), MEASURE_ERROR_ARGUMENT, "'x' is not finite");
    FAILS(measure_point_set_text(at, "x", NULL, &error), MEASURE_ERROR_ARGUMENT, "the value of the coordinate");
    measure_point_free(at);
    measure_point_free(NULL);
}

/* Only the call under test runs out of memory. */
static void test_memory(void) {
    measure_point* at = NULL;
    measure_error error;
    new_throws(1);
    FAILS(measure_point_create(&at, &error), MEASURE_ERROR_MEMORY, "out of memory");
    new_throws(2);
    FAILS(measure_point_create(&at, &error), MEASURE_ERROR_INTERNAL, "memory with a text");
    new_throws(3);
    FAILS(measure_point_create(&at, &error), MEASURE_ERROR_INTERNAL, "not a std::exception");
    new_throws(0);
    CHECK(at == NULL);
}

/* A measurement whose root is another rank. */
static void test_foreign_result(struct world const* world, measure_plan const* plan, measure_record* record) {
    measure_error error;
    MPI_Comm reversed;
    measure_comm* team = NULL;
    measure_result* result;
    int code;
    MPI_Comm_split(world->comm, 0, -world->rank, &reversed);
    CHECK(measure_comm_create(reversed, &team, &error) == MEASURE_OK);
    result = measured(world, team, plan);
    code = measure_record_point(record, "Barrier", NULL, result, &error);
    CHECK(code == (world->rank == 0 ? MEASURE_ERROR_ARGUMENT : MEASURE_OK));
    measure_result_free(result);
    measure_comm_free(team);
    MPI_Comm_free(&reversed);
}

void test_records_that_cannot_be(struct world const* world) {
    char path[4096];
    measure_plan* const plan = sampled_plan();
    measure_result* const result = measured(world, world->team, plan);
    measure_record* record = NULL;
    measure_point* at = NULL;
    measure_error error;
    test_wrong_opening(world, plan);
    test_wrong_points();
    test_memory();
    path_in(world, "killed.jsonl", path);
    CHECK(measure_record_open(world->team, plan, path, "./C API", 0, NULL, &record, &error) == MEASURE_OK);
    FAILS(measure_record_point(NULL, "b", NULL, result, &error), MEASURE_ERROR_ARGUMENT, "the record is NULL");
    FAILS(measure_record_end(NULL, 0, NULL, &error), MEASURE_ERROR_ARGUMENT, "the record is NULL");
    FAILS(measure_record_end(record, 256, NULL, &error), MEASURE_ERROR_ARGUMENT, "256");
    if (world->size > 1)
        FAILS(measure_record_end(record, world->rank == 0 ? 0 : -1, NULL, &error), MEASURE_ERROR_ARGUMENT, "-1");
    CHECK(measure_point_create(&at, NULL) == MEASURE_OK);
    measure_point_set_text(at, "kind", NULL, NULL);
    if (world->rank == 0) {
        FAILS(measure_record_point(record, NULL, NULL, result, &error), MEASURE_ERROR_ARGUMENT, "the benchmark");
        FAILS(measure_record_point(record, "", NULL, result, &error), MEASURE_ERROR_ARGUMENT, "benchmark is empty");
        FAILS(measure_record_point(record, "b", NULL, NULL, &error), MEASURE_ERROR_ARGUMENT, "the result is NULL");
        FAILS(measure_record_point(record, "b", at, result, &error), MEASURE_ERROR_ARGUMENT, "coordinate is NULL");
        FAILS(measure_record_rate(record, "b", NULL, result, "speed", 1, &error), MEASURE_ERROR_ARGUMENT, "'speed'");
        FAILS(measure_record_rate(record, "b", NULL, result, NULL, 1, &error), MEASURE_ERROR_ARGUMENT, "quantity");
        FAILS(measure_record_rate(record, "b", NULL, result, "rate", 0, &error), MEASURE_ERROR_ARGUMENT, "is 0");
        FAILS(measure_record_rate(record, "b", NULL, result, "rate", INFINITY, &error), MEASURE_ERROR_ARGUMENT, "inf");
        FAILS(measure_record_missing(record, "b", NULL, "lost", "why", &error), MEASURE_ERROR_ARGUMENT, "'lost'");
        FAILS(measure_record_missing(record, "b", NULL, NULL, "why", &error), MEASURE_ERROR_ARGUMENT, "status");
        FAILS(measure_record_missing(record, "b", NULL, "skipped", NULL, &error), MEASURE_ERROR_ARGUMENT, "reason");
        FAILS(measure_record_missing(record, "b", NULL, "skipped", "", &error), MEASURE_ERROR_ARGUMENT, "is empty");
    }
    if (world->size > 1)
        test_foreign_result(world, plan, record);
    CHECK(measure_record_point(record, "Barrier", NULL, world->rank == 0 ? result : NULL, &error) == MEASURE_OK);
    /* Without its last line the file says that the run was killed. */
    measure_record_free(record);
    measure_record_free(NULL);
    measure_point_free(at);
    measure_result_free(result);
    measure_plan_free(plan);
}

/* If the root cannot write, all ranks get the error at the end. */
void test_full_disk(struct world const* world) {
    char path[4096];
    measure_plan* const plan = sampled_plan();
    measure_record* record = NULL;
    measure_error error;
    struct rlimit before, small;
    int code, again;
    signal(SIGXFSZ, SIG_IGN);
    path_in(world, "full.jsonl", path);
    CHECK(measure_record_open(world->team, plan, path, "c_api_test", 0, NULL, &record, &error) == MEASURE_OK);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 1;
    setrlimit(RLIMIT_FSIZE, &small);
    code = measure_record_missing(record, "b", NULL, "skipped", "why", &error);
    setrlimit(RLIMIT_FSIZE, &before);
    again = measure_record_missing(record, "b", NULL, "skipped", "why", NULL);
    CHECK(code == (world->rank == 0 ? MEASURE_ERROR_FILE : MEASURE_OK) && again == code);
    FAILS(measure_record_end(record, 0, NULL, &error), MEASURE_ERROR_FILE, "cannot write the record");
    measure_record_free(record);
    measure_plan_free(plan);
}
