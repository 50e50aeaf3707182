/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators, timers and clocks. */
#include "c_api_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int refuse_copy(MPI_Comm old, int key, void* extra, void* in, void* out, int* flag) {
    (void)old, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_ERR_OTHER;
}

/* A communicator that cannot be duplicated. */
static void test_mpi_error(struct world const* world) {
    MPI_Comm stubborn;
    measure_comm* comm = NULL;
    measure_error error;
    int key = MPI_KEYVAL_INVALID, value = 0;
    MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_split(world->comm, 0, world->rank, &stubborn);
    MPI_Comm_set_errhandler(stubborn, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(stubborn, key, &value);
    FAILS(measure_comm_create(stubborn, &comm, &error), MEASURE_ERROR_MPI, "MPI_Comm_dup");
    CHECK(comm == NULL);
    MPI_Comm_delete_attr(stubborn, key);
    MPI_Comm_free(&stubborn);
    MPI_Comm_free_keyval(&key);
}

void test_communicators(struct world const* world) {
    measure_comm* comm = NULL;
    measure_error error;
    CHECK(strcmp(measure_version(), "") > 0);
    CHECK(measure_comm_rank(world->team) == world->rank && measure_comm_size(world->team) == world->size);
    CHECK(measure_comm_is_oversubscribed(world->team) == 0 || measure_comm_is_oversubscribed(world->team) == 1);
    CHECK(measure_comm_create_fortran(MPI_Comm_c2f(world->comm), &comm, NULL) == MEASURE_OK);
    CHECK(measure_comm_rank(comm) == world->rank && measure_comm_size(comm) == world->size);
    measure_comm_free(comm);

    FAILS(measure_comm_create(MPI_COMM_NULL, &comm, &error), MEASURE_ERROR_ARGUMENT, "MPI_COMM_NULL");
    CHECK(comm == NULL);
    FAILS(measure_comm_create_fortran(MPI_Comm_c2f(MPI_COMM_NULL), &comm, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    FAILS(measure_comm_create(world->comm, NULL, &error), MEASURE_ERROR_ARGUMENT, "the place for the communicator");
    /* One rank passes a bad argument; every rank gets the error. */
    FAILS(measure_comm_create(world->comm, world->rank == world->size - 1 ? NULL : &comm, &error),
          MEASURE_ERROR_ARGUMENT, "the place for the communicator");
    CHECK(comm == NULL);
    FAILS(measure_comm_create_solo(NULL, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    measure_comm_free(NULL);
    CHECK(measure_comm_rank(NULL) == -1 && measure_comm_size(NULL) == 0 && measure_comm_is_oversubscribed(NULL) == 0);
    test_mpi_error(world);
}

/* Reads a timer twice. */
static void test_reading(measure_timer const* timer) {
    int64_t const first = measure_timer_now(timer);
    int64_t const second = measure_timer_now(timer);
    CHECK(second >= first);
    CHECK(measure_timer_seconds(timer, first, second) >= 0 && measure_timer_seconds(timer, first, second) < 60);
    CHECK(measure_timer_seconds(timer, first, second) == -measure_timer_seconds(timer, second, first));
}

void test_timers(struct world const* world) {
    measure_timer* timer = NULL;
    measure_timer_info info;
    measure_error error;
    char names[128];
    char* name;
    int known = 0;
    CHECK(strlen(measure_timer_names()) < sizeof names);
    strcpy(names, measure_timer_names());
    for (name = strtok(names, " "); name != NULL; name = strtok(NULL, " "), ++known) {
        int const code = measure_timer_create(world->team, name, &timer, &error);
        if (code == MEASURE_OK) {
            test_reading(timer);
            CHECK(strcmp(measure_timer_name(timer), name) == 0);
        } else {
            CHECK(strcmp(name, "tsc") == 0 && code == MEASURE_ERROR_ARGUMENT && timer == NULL);
        }
        measure_timer_free(timer);
    }
    CHECK(known == 5);
    FAILS(measure_timer_create(world->team, "sundial", &timer, &error), MEASURE_ERROR_ARGUMENT, "known: mpi_wtime,");
    CHECK(timer == NULL);
    CHECK(strstr(error.message, measure_timer_names() + strlen("mpi_wtime gettimeofday tsc monotonic ")) != NULL);
    FAILS(measure_timer_create(NULL, "tsc", &timer, &error), MEASURE_ERROR_ARGUMENT, "the communicator is NULL");
    FAILS(measure_timer_create(world->team, NULL, &timer, &error), MEASURE_ERROR_ARGUMENT, "the name of the timer");
    FAILS(measure_timer_create(world->team, world->rank == 0 ? NULL : "tsc", &timer, &error), MEASURE_ERROR_ARGUMENT,
          "the name of the timer");
    FAILS(measure_timer_create(world->team, "tsc", NULL, &error), MEASURE_ERROR_ARGUMENT, "the place for the timer");
    CHECK(measure_timer_now(NULL) == 0 && isnan(measure_timer_seconds(NULL, 0, 1)));
    CHECK(strcmp(measure_timer_name(NULL), "") == 0);
    measure_timer_free(NULL);

    CHECK(measure_timer_calibrate(world->timer, &info, sizeof info, &error) == MEASURE_OK);
    CHECK(info.nominal == 1e-9 && info.overhead > 0 && info.overhead_p99 > 0 && info.backward == 0);
    CHECK(info.frequency == 0 && info.resolution >= 0 && info.granularity >= info.resolution);
    FAILS(measure_timer_calibrate(NULL, &info, sizeof info, &error), MEASURE_ERROR_ARGUMENT, "the timer is NULL");
    FAILS(measure_timer_calibrate(world->timer, NULL, sizeof info, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    FAILS(measure_timer_calibrate(world->timer, &info, 0, &error), MEASURE_ERROR_ARGUMENT, "size");
    {
        /* A program with an older, shorter struct, and one with a newer, longer one. */
        struct {
            measure_timer_info info;
            double more;
        } longer = {.more = 7};
        info.nominal = 7;
        CHECK(measure_timer_calibrate(world->timer, &info, sizeof info.frequency, &error) == MEASURE_OK);
        CHECK(info.nominal == 7);
        CHECK(measure_timer_calibrate(world->timer, &longer.info, sizeof longer, &error) == MEASURE_OK);
        CHECK(longer.info.nominal == 1e-9 && longer.more == 0);
    }
}

static void test_clock_arguments(struct world const* world, measure_clock const* clock) {
    measure_clock* other = NULL;
    measure_error error;
    measure_sync_report report;
    measure_harmony harmony;
    FAILS(measure_clock_create(NULL, world->timer, "ring", &other, &error), MEASURE_ERROR_ARGUMENT, "communicator");
    FAILS(measure_clock_create(world->team, NULL, "ring", &other, &error), MEASURE_ERROR_ARGUMENT, "the timer");
    FAILS(measure_clock_create(world->team, world->timer, NULL, &other, &error), MEASURE_ERROR_ARGUMENT, "algorithm");
    FAILS(measure_clock_create(world->team, world->timer, "ring", NULL, &error), MEASURE_ERROR_ARGUMENT, "the clock");
    FAILS(measure_clock_create(world->team, world->timer, world->rank == 0 ? "ring" : "square", &other, &error),
          world->size > 1 ? MEASURE_ERROR_ARGUMENT : MEASURE_OK, world->size > 1 ? "unknown" : "");
    measure_clock_free(other);
    measure_clock_free(NULL);
    CHECK(strcmp(measure_clock_algorithm(NULL), "") == 0);
    CHECK(isnan(measure_clock_now(NULL)) && isnan(measure_clock_to_root(NULL, 0)));
    CHECK(measure_clock_to_local(NULL, 0) == 0 && isnan(measure_clock_offset(NULL)) &&
          isnan(measure_clock_bound(NULL)));
    CHECK(isnan(measure_clock_uncertainty(NULL)) && isnan(measure_clock_age(NULL)));
    FAILS(measure_clock_report(NULL, &report, sizeof report, &error), MEASURE_ERROR_ARGUMENT, "the clock");
    FAILS(measure_clock_report(clock, NULL, sizeof report, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    FAILS(measure_clock_residual(NULL, clock, NULL, NULL, &error), MEASURE_ERROR_ARGUMENT, "communicator");
    FAILS(measure_clock_residual(world->team, NULL, NULL, NULL, &error), MEASURE_ERROR_ARGUMENT, "the clock");
    FAILS(measure_harmonize(NULL, clock, 0, &harmony, sizeof harmony, &error), MEASURE_ERROR_ARGUMENT, "communicator");
    FAILS(measure_harmonize(world->team, NULL, 0, &harmony, sizeof harmony, &error), MEASURE_ERROR_ARGUMENT, "clock");
    FAILS(measure_harmonize(world->team, clock, 0, NULL, sizeof harmony, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    FAILS(measure_harmonize(world->team, clock, world->rank == 0 ? -1 : 0, &harmony, sizeof harmony, &error),
          MEASURE_ERROR_ARGUMENT, "'ahead' is -1 s");
    FAILS(measure_harmonize(world->team, clock, NAN, &harmony, sizeof harmony, &error), MEASURE_ERROR_ARGUMENT, "nan");
}

/* All ranks leave at the instant chosen by the root. */
static void test_harmony(struct world const* world, measure_clock const* clock) {
    measure_harmony harmony;
    measure_error error;
    double earliest = 0, latest = 0, now;
    CHECK(measure_harmonize(world->team, clock, 0.002, &harmony, sizeof harmony, &error) == MEASURE_OK);
    now = measure_clock_now(clock);
    MPI_Allreduce(&harmony.start, &earliest, 1, MPI_DOUBLE, MPI_MIN, world->comm);
    MPI_Allreduce(&harmony.start, &latest, 1, MPI_DOUBLE, MPI_MAX, world->comm);
    CHECK(earliest == latest && now >= harmony.start);
    CHECK(harmony.lateness > -1 && (harmony.in_time == 0 || harmony.in_time == 1));
    CHECK(measure_harmonize(world->team, clock, 0, &harmony, sizeof harmony, &error) == MEASURE_OK);
    CHECK(harmony.start > latest);
}

void test_clocks(struct world const* world) {
    measure_clock* clock = NULL;
    measure_sync_report report;
    measure_error error;
    double age, largest = -1, rms = -1, instant;
    CHECK(measure_clock_create(world->team, world->timer, "Linear", &clock, &error) == MEASURE_OK);
    CHECK(strcmp(measure_clock_algorithm(clock), "linear") == 0);
    if (world->rank == 0)
        CHECK(measure_clock_offset(clock) == 0);
    CHECK(fabs(measure_clock_offset(clock)) < 1 && measure_clock_bound(clock) >= 0 && measure_clock_bound(clock) < 1);
    CHECK(isnan(measure_clock_uncertainty(clock)));
    age = measure_clock_age(clock);
    CHECK(age >= 0 && age < 60 && measure_clock_age(clock) >= age);
    instant = measure_clock_now(clock);
    CHECK(fabs(measure_clock_to_root(clock, measure_clock_to_local(clock, instant)) - instant) < 2e-9);
    CHECK(measure_clock_to_root(clock, measure_timer_now(world->timer)) >= instant);

    CHECK(measure_clock_report(clock, &report, sizeof report, &error) == MEASURE_OK);
    CHECK(report.edges == world->size - 1 && report.hosts >= 1 && report.duration >= 0 && report.bound >= 0);
    CHECK(isnan(report.closure) && isnan(report.drift) && isnan(report.uncertainty));
    CHECK(report.rtt_min <= report.rtt_median && report.rtt_median <= report.rtt_max);
    CHECK(measure_clock_residual(world->team, clock, &largest, &rms, &error) == MEASURE_OK);
    CHECK(world->size > 1 ? rms >= 0 && largest >= rms : isnan(largest) && isnan(rms));
    CHECK(measure_clock_residual(world->team, clock, NULL, NULL, NULL) == MEASURE_OK);
    test_harmony(world, clock);
    test_clock_arguments(world, clock);
    measure_clock_free(clock);

    CHECK(measure_clock_create(world->team, world->timer, "none", &clock, &error) == MEASURE_OK);
    CHECK(world->size > 1 ? isnan(measure_clock_bound(clock)) : measure_clock_bound(clock) == 0);
    measure_clock_free(clock);
}

/* Clocks with a known truth: rank r is r ms ahead. */
void test_synthetic_clocks(struct world const* world) {
    measure_timer* timer = NULL;
    measure_clock* clock = NULL;
    measure_error error;
    char const* const algorithms[] = {"linear", "ring"};
    size_t i;
    CHECK(measure_timer_create(world->team, "synthetic:monotonic_raw,skew=rank*1ms", &timer, &error) == MEASURE_OK);
    for (i = 0; i < sizeof algorithms / sizeof algorithms[0]; ++i) {
        CHECK(measure_clock_create(world->team, timer, algorithms[i], &clock, &error) == MEASURE_OK);
        CHECK(fabs(measure_clock_offset(clock) + world->rank * 1e-3) <= measure_clock_bound(clock) + 1e-9);
        measure_clock_free(clock);
    }
    measure_timer_free(timer);
}
