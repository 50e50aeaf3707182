/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans, measurements and results. */
#include "c_api_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the callbacks of a rank have seen. */
struct calls {
    MPI_Comm comm;
    int64_t bodies, finishes, prepares, last_index, last_sample, out_of_order;
    int fail_every; /* the n-th call of the body fails (0 = never) */
    int fail_finish;
};

static int count_body(void* context, measure_iteration it) {
    struct calls* calls = context;
    calls->out_of_order += it.index != calls->bodies;
    calls->last_index = it.index;
    calls->last_sample = it.sample;
    ++calls->bodies;
    MPI_Barrier(calls->comm);
    return calls->fail_every > 0 && calls->bodies % calls->fail_every == 0;
}

static int send_to_nobody(void* context, measure_iteration it) {
    struct calls const* calls = context;
    int size = 0;
    (void)it;
    MPI_Comm_size(calls->comm, &size);
    return MPI_Send(NULL, 0, MPI_INT, size, 0, calls->comm);
}

static int count_finish(void* context) {
    struct calls* calls = context;
    ++calls->finishes;
    return calls->fail_finish;
}

static void count_prepare(void* context, measure_iteration it) {
    struct calls* calls = context;
    calls->out_of_order += it.index != calls->bodies;
    ++calls->prepares;
}

static measure_plan* new_plan(char const* pattern) {
    measure_plan* plan = NULL;
    CHECK(measure_plan_create(pattern, &plan, NULL) == MEASURE_OK);
    return plan;
}

/* A plan that rejects no sample for its start: n samples, with a barrier before each. */
static measure_plan* counted_plan(double n) {
    measure_plan* plan = new_plan("default");
    CHECK(measure_plan_set_text(plan, "start", "Barrier", NULL) == MEASURE_OK);
    CHECK(measure_plan_set_number(plan, "count", n, NULL) == MEASURE_OK);
    CHECK(measure_plan_set_number(plan, "at_most", n, NULL) == MEASURE_OK);
    CHECK(measure_plan_set_number(plan, "stage", n, NULL) == MEASURE_OK);
    CHECK(measure_plan_set_number(plan, "settle", 0, NULL) == MEASURE_OK);
    return plan;
}

/* Whether a body can be measured with this plan. */
static int usable(struct world const* world, measure_plan const* plan, measure_error* error) {
    struct calls calls = {.comm = world->comm};
    measure_operation const operation = {.body = count_body, .context = &calls};
    measure_result* result = NULL;
    int const code = measure_run(world->team, plan, &operation, sizeof operation, &result, error);
    CHECK((result != NULL) == (code == MEASURE_OK));
    measure_result_free(result);
    return code;
}

static void test_choices(void) {
    static struct {
        char const* name;
        char const* values;
    } const choices[] = {{"start", "auto free barrier dissemination slot roundtime"},
                         {"sync", "none linear ring ring:plain tree jk hca3 hier auto global"},
                         {"combine", "root max min mean span"},
                         {"correction", "none empty_loop barrier"},
                         {"keep", "summary ranks samples"},
                         {"slot_rule", "doubling paper"},
                         {"error", "winsorized over_sqrt_n over_sqrt_kept"}};
    measure_plan* const plan = new_plan("default");
    measure_error error;
    size_t i;
    for (i = 0; i < sizeof choices / sizeof choices[0]; ++i) {
        char values[64];
        char* value;
        strcpy(values, choices[i].values);
        for (value = strtok(values, " "); value != NULL; value = strtok(NULL, " "))
            CHECK(measure_plan_set_text(plan, choices[i].name, value, &error) == MEASURE_OK);
        FAILS(measure_plan_set_text(plan, choices[i].name, "odd", &error), MEASURE_ERROR_ARGUMENT, "'odd'; known: ");
        FAILS(measure_plan_set_text(plan, choices[i].name, NULL, &error), MEASURE_ERROR_ARGUMENT, "is NULL");
    }
    FAILS(measure_plan_set_text(plan, "colour", "red", &error), MEASURE_ERROR_ARGUMENT, "'colour'; known: start, sync");
    FAILS(measure_plan_set_text(plan, NULL, "red", &error), MEASURE_ERROR_ARGUMENT, "is NULL");
    FAILS(measure_plan_set_text(NULL, "start", "slot", &error), MEASURE_ERROR_ARGUMENT, "the plan is NULL");
    measure_plan_free(plan);
}

static void test_numbers(void) {
    static struct {
        char const* name;
        double low, high, too_low, too_high;
    } const numbers[] = {{"interval", 1e-9, 1e9, 0, INFINITY},
                         {"relative_error", 1e-9, 1e9, 0, INFINITY},
                         {"skampi", 1e-9, 1e9, 0, INFINITY},
                         {"settle", 0, 1, -1, 2},
                         {"limit", 1e-9, 1e9, 0, INFINITY},
                         {"count", 1, 1e9, 0, 1e300},
                         {"duration", 1e-9, 1e9, 0, INFINITY},
                         {"at_least", 0, 1e9, -1, 1e300},
                         {"at_most", 1, 1e9, 0, 1e300},
                         {"time_budget", 1e-9, 1e9, 0, INFINITY},
                         {"warm_up", 0, 1e9, -1, 1e10},
                         {"stage", 1, 1e9, 0, 1e10},
                         {"epochs", 1, 1e9, 0, 1e10},
                         {"iterations", 1, 1e9, 0, 1e300},
                         {"window", 1e-9, 1e9, 0, INFINITY},
                         {"trim", 0, 0.5, -0.1, 0.6},
                         {"confidence", 0.001, 0.999, 0, 1},
                         {"slot_growth", 1.1, 2, 1, 2.1},
                         {"invalid_share", 0, 1, -0.1, 1.1},
                         {"broadcast_factor", 1e-9, 1e9, 0, INFINITY},
                         {"resync_after", 1e-9, 1e9, 0, INFINITY},
                         {"check_clocks", 0, 1, -1, 2},
                         {"start_falls_back", 0, 1, -1, 2}};
    measure_plan* const plan = new_plan("default");
    measure_error error;
    size_t i;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        char const* const name = numbers[i].name;
        CHECK(measure_plan_set_number(plan, name, numbers[i].low, &error) == MEASURE_OK);
        CHECK(measure_plan_set_number(plan, name, numbers[i].high, &error) == MEASURE_OK);
        FAILS(measure_plan_set_number(plan, name, numbers[i].too_low, &error), MEASURE_ERROR_ARGUMENT, "but must be");
        CHECK(strstr(error.message, name) != NULL);
        FAILS(measure_plan_set_number(plan, name, numbers[i].too_high, &error), MEASURE_ERROR_ARGUMENT, "but must be");
        FAILS(measure_plan_set_number(plan, name, NAN, &error), MEASURE_ERROR_ARGUMENT, "nan");
    }
    FAILS(measure_plan_set_number(plan, "count", 1.5, &error), MEASURE_ERROR_ARGUMENT,
          "but must be a whole number, 1 or more");
    FAILS(measure_plan_set_number(plan, "weight", 1, &error), MEASURE_ERROR_ARGUMENT, "'weight'; known: interval, ");
    FAILS(measure_plan_set_number(plan, NULL, 1, &error), MEASURE_ERROR_ARGUMENT, "is NULL");
    FAILS(measure_plan_set_number(NULL, "count", 1, &error), MEASURE_ERROR_ARGUMENT, "the plan is NULL");
    measure_plan_free(plan);
}

void test_plans(struct world const* world) {
    char const* const patterns[] = {"default", "slotted", "collective", "ping_pong", "simple"};
    measure_plan* plan = NULL;
    measure_error error;
    size_t i;
    for (i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        CHECK(measure_plan_create(patterns[i], &plan, &error) == MEASURE_OK);
        measure_plan_free(plan);
    }
    FAILS(measure_plan_create("tartan", &plan, &error), MEASURE_ERROR_ARGUMENT, "'tartan'; known: default, slotted");
    /* A caller that ignores the result of a setter gets the same text as the error of the run, whatever setting
       fails later. */
    measure_plan_set_number(plan, "count", -1, NULL);
    FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "'tartan'; known: default, slotted");
    measure_plan_free(plan);
    FAILS(measure_plan_create(NULL, &plan, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    measure_plan_free(plan);
    FAILS(measure_plan_create("default", NULL, &error), MEASURE_ERROR_ARGUMENT, "the place for the plan");
    measure_plan_free(NULL);
    test_choices();
    test_numbers();
    plan = new_plan("default");
    FAILS(measure_plan_set_timer(NULL, world->timer, &error), MEASURE_ERROR_ARGUMENT, "the plan is NULL");
    FAILS(measure_plan_set_timer(plan, NULL, &error), MEASURE_ERROR_ARGUMENT, "the timer is NULL");
    FAILS(measure_plan_set_clock(NULL, NULL, &error), MEASURE_ERROR_ARGUMENT, "the plan is NULL");
    FAILS(measure_plan_set_clock(plan, NULL, &error), MEASURE_ERROR_ARGUMENT, "the clock is NULL");
    /* A run reports the first fault. */
    FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "the timer is NULL");
    measure_plan_free(plan);
}

/* Combinations of settings without a meaning are refused. */
void test_plans_that_cannot_be(struct world const* world) {
    static char const* const slot_numbers[] = {"slot_growth", "broadcast_factor", "resync_after", "check_clocks"};
    measure_plan* plan;
    measure_clock* clock = NULL;
    measure_error error;
    size_t i;
    for (i = 0; i < sizeof slot_numbers / sizeof slot_numbers[0]; ++i) {
        plan = counted_plan(4);
        measure_plan_set_number(plan, slot_numbers[i], i == 0 ? 1.5 : 1, NULL);
        FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "does not apply to the start 'barrier'");
        measure_plan_free(plan);
    }
    plan = counted_plan(4);
    measure_plan_set_text(plan, "sync", "ring", NULL);
    FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "'sync' does not apply to the start 'barrier'");
    measure_plan_free(plan);

    plan = new_plan("default");
    measure_plan_set_number(plan, "duration", 0.01, NULL);
    measure_plan_set_number(plan, "at_most", 100, NULL);
    FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "cannot be combined with 'duration'");
    measure_plan_free(plan);

    plan = counted_plan(4);
    measure_plan_set_text(plan, "combine", "span", NULL);
    FAILS(usable(world, plan, &error), world->size > 1 ? MEASURE_ERROR_ARGUMENT : MEASURE_OK,
          world->size > 1 ? "synchronised clocks" : "");
    measure_plan_free(plan);

    /* The clock belongs to another timer. */
    plan = counted_plan(4);
    CHECK(measure_clock_create(world->team, world->timer, "linear", &clock, NULL) == MEASURE_OK);
    CHECK(measure_plan_set_clock(plan, clock, NULL) == MEASURE_OK);
    FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "timer 'monotonic_raw', but the plan uses 'mpi_wtime'");
    measure_plan_set_timer(plan, world->timer, NULL);
    CHECK(usable(world, plan, &error) == MEASURE_OK);
    measure_clock_free(clock);
    measure_plan_free(plan);

    /* The setting is wrong on one rank only. */
    plan = counted_plan(4);
    if (world->rank == world->size - 1)
        measure_plan_set_number(plan, "trim", 2, NULL);
    FAILS(usable(world, plan, &error), MEASURE_ERROR_ARGUMENT, "'trim' is 2");
    measure_plan_free(plan);
}

static void test_calls(struct world const* world) {
    struct calls calls = {.comm = world->comm};
    measure_operation operation = {.body = count_body, .finish = count_finish, .prepare = count_prepare};
    measure_plan* const plan = counted_plan(16);
    measure_result* result = NULL;
    measure_counts counts;
    operation.context = &calls;
    measure_plan_set_number(plan, "warm_up", 3, NULL);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    CHECK(calls.bodies == 19 && calls.finishes == 19 && calls.prepares == 19 && calls.out_of_order == 0);
    CHECK(calls.last_index == 18 && calls.last_sample == 15);
    CHECK(measure_result_counts(result, &counts, sizeof counts, NULL) == MEASURE_OK);
    CHECK(counts.attempts == 16 && counts.valid == 16 && counts.kept == 8 && counts.iterations_per_sample == 1);
    CHECK(strcmp(measure_result_verdict(result), "converged") == 0 &&
          strcmp(measure_result_stop_reason(result), "count") == 0);
    CHECK(strcmp(measure_result_start(result), "barrier") == 0 && strcmp(measure_result_message(result), "") == 0);
    measure_result_free(result);
    measure_plan_free(plan);
}

/* More iterations, and a program that does not know the hooks. */
static void test_batches(struct world const* world) {
    struct {
        int (*body)(void*, measure_iteration);
    } const bare = {count_body};
    struct calls calls = {.comm = world->comm};
    measure_operation operation = {.body = count_body, .prepare = count_prepare};
    measure_plan* const plan = counted_plan(4);
    measure_result* result = NULL;
    measure_counts counts;
    measure_error error;
    operation.context = &calls;
    measure_plan_set_number(plan, "iterations", 5, NULL);
    measure_plan_set_number(plan, "warm_up", 0, NULL);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    CHECK(calls.bodies == 20 && calls.prepares == 4 && calls.out_of_order == 0);
    CHECK(measure_result_counts(result, &counts, sizeof counts, NULL) == MEASURE_OK);
    CHECK(counts.attempts == 4 && counts.iterations_per_sample == 5);
    measure_result_free(result);
    /* The body gets no context, so it fails at once. */
    FAILS(measure_run(world->team, plan, (measure_operation const*)&bare, 0, &result, &error), MEASURE_ERROR_ARGUMENT,
          "the operation has 0 bytes");
    measure_plan_free(plan);
}

/* Every pattern, timer and clock gives a value or says why there is none. */
static void test_patterns(struct world const* world) {
    char const* const patterns[] = {"default", "slotted", "collective", "ping_pong", "simple"};
    measure_clock* clock = NULL;
    size_t i;
    CHECK(measure_clock_create(world->team, world->timer, "auto", &clock, NULL) == MEASURE_OK);
    for (i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        struct calls calls = {.comm = world->comm};
        measure_operation const operation = {.body = count_body, .context = &calls};
        measure_plan* const plan = new_plan(patterns[i]);
        measure_result* result = NULL;
        measure_estimate e;
        measure_counts n;
        measure_error error;
        measure_plan_set_timer(plan, world->timer, NULL);
        if (i < 3)
            measure_plan_set_clock(plan, clock, NULL);
        measure_plan_set_number(plan, "time_budget", 0.2, NULL);
        CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, &error) == MEASURE_OK);
        CHECK(measure_result_counts(result, &n, sizeof n, NULL) == MEASURE_OK);
        CHECK(measure_result_estimate(result, &e, sizeof e, NULL) == MEASURE_OK);
        CHECK(n.attempts == n.valid + n.late + n.overrun + n.slip + n.failed + n.backward && n.attempts > 0);
        if (n.valid == 0)
            CHECK(strcmp(measure_result_verdict(result), "no_valid_samples") == 0 && isnan(e.value));
        else
            CHECK(strcmp(measure_result_verdict(result), "no_valid_samples") != 0 &&
                  isnan(e.value) == (world->rank > 0));
        if (i >= 3 && world->rank == 0)
            CHECK(e.correction >= 0);
        CHECK(strlen(measure_result_stop_reason(result)) > 0);
        measure_result_free(result);
        measure_plan_free(plan);
    }
    measure_clock_free(clock);
}

void test_runs(struct world const* world) {
    test_calls(world);
    test_batches(world);
    test_patterns(world);
}

static void test_estimate(struct world const* world, measure_result const* result) {
    measure_estimate e;
    measure_error error;
    CHECK(measure_result_estimate(result, &e, sizeof e, &error) == MEASURE_OK);
    if (world->rank == 0) {
        CHECK(e.value > 0 && e.standard_error >= 0 && e.confidence == 0.9);
        CHECK(e.interval_low <= e.value && e.value <= e.interval_high);
        CHECK(e.min <= e.quantile_05 && e.quantile_05 <= e.quantile_25 && e.quantile_25 <= e.median);
        CHECK(e.median <= e.quantile_75 && e.quantile_75 <= e.quantile_95 && e.quantile_95 <= e.max);
        CHECK(e.median_low <= e.median && e.median <= e.median_high);
        CHECK(e.relative_standard_error >= 0 && e.effective_samples >= 1 && e.effective_samples <= 16);
        CHECK(fabs(e.autocorrelation) <= 1 && isfinite(e.skewness));
        CHECK(e.ranks_min <= e.ranks_mean && e.ranks_mean <= e.ranks_max && e.elapsed > 0);
        CHECK(e.correction >= 0 && isfinite(e.corrected));
    } else {
        CHECK(isnan(e.value) && isnan(e.interval_low) && isnan(e.quantile_95) && isnan(e.elapsed));
    }
    FAILS(measure_result_estimate(NULL, &e, sizeof e, &error), MEASURE_ERROR_ARGUMENT, "the result is NULL");
    FAILS(measure_result_estimate(result, NULL, sizeof e, &error), MEASURE_ERROR_ARGUMENT, "NULL");
    FAILS(measure_result_estimate(result, &e, 0, &error), MEASURE_ERROR_ARGUMENT, "size");
}

static void test_ranks(struct world const* world, measure_result const* result) {
    measure_rank_summary mine, other;
    measure_error error;
    CHECK(measure_result_mine(result, &mine, sizeof mine, &error) == MEASURE_OK);
    CHECK(mine.rank == world->rank && mine.valid == 16 && mine.min <= mine.median && mine.median <= mine.max);
    CHECK(mine.min <= mine.mean && mine.mean <= mine.max && mine.standard_error >= 0 && mine.kept_mean > 0);
    FAILS(measure_result_mine(NULL, &mine, sizeof mine, &error), MEASURE_ERROR_ARGUMENT, "the result is NULL");
    if (world->rank > 0) {
        FAILS(measure_result_rank(result, 0, &other, sizeof other, &error), MEASURE_ERROR_ARGUMENT, "the root has");
        return;
    }
    CHECK(measure_result_rank(result, 0, &other, sizeof other, &error) == MEASURE_OK);
    CHECK(memcmp(&mine, &other, sizeof mine) == 0);
    CHECK(measure_result_rank(result, world->size - 1, &other, sizeof other, &error) == MEASURE_OK);
    CHECK(other.rank == world->size - 1 && other.valid == 16);
    FAILS(measure_result_rank(result, world->size, &other, sizeof other, &error), MEASURE_ERROR_ARGUMENT,
          "out of range");
    FAILS(measure_result_rank(result, -1, &other, sizeof other, &error), MEASURE_ERROR_ARGUMENT, "out of range");
    FAILS(measure_result_rank(NULL, 0, &other, sizeof other, &error), MEASURE_ERROR_ARGUMENT, "the result is NULL");
}

static void test_samples(struct world const* world, measure_result const* result) {
    measure_sample sample;
    measure_error error;
    measure_estimate e;
    double longest = 0;
    int64_t i;
    FAILS(measure_result_sample(NULL, 0, &sample, sizeof sample, &error), MEASURE_ERROR_ARGUMENT, "the result");
    if (world->rank > 0) {
        FAILS(measure_result_sample(result, 0, &sample, sizeof sample, &error), MEASURE_ERROR_ARGUMENT, "the root has");
        return;
    }
    for (i = 0; i < 16; ++i) {
        CHECK(measure_result_sample(result, i, &sample, sizeof sample, &error) == MEASURE_OK);
        CHECK(sample.stage == 1 && sample.invalid == MEASURE_VALID);
        longest = sample.time > longest ? sample.time : longest;
    }
    CHECK(measure_result_estimate(result, &e, sizeof e, &error) == MEASURE_OK && longest == e.max);
    FAILS(measure_result_sample(result, 16, &sample, sizeof sample, &error), MEASURE_ERROR_ARGUMENT, "0 .. 15");
}

void test_results(struct world const* world) {
    struct calls calls = {.comm = world->comm};
    measure_operation const operation = {.body = count_body, .context = &calls};
    measure_plan* const plan = counted_plan(16);
    measure_result* result = NULL;
    measure_counts counts;
    measure_error error;
    measure_plan_set_text(plan, "keep", "samples", NULL);
    measure_plan_set_text(plan, "correction", "empty_loop", NULL);
    measure_plan_set_number(plan, "confidence", 0.9, NULL);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    test_estimate(world, result);
    test_ranks(world, result);
    test_samples(world, result);
    if (world->rank == 0)
        CHECK(strstr(measure_result_text(result), "16 of 16 samples valid, stopped: count") != NULL);
    CHECK(measure_comm_is_oversubscribed(world->team) ==
              (strstr(measure_result_flags(result), "oversubscribed") != NULL) ||
          world->rank > 0);
    measure_result_free(result);

    CHECK(strcmp(measure_result_verdict(NULL), "") == 0 && strcmp(measure_result_stop_reason(NULL), "") == 0);
    CHECK(strcmp(measure_result_message(NULL), "") == 0 && strcmp(measure_result_start(NULL), "") == 0);
    CHECK(strcmp(measure_result_flags(NULL), "") == 0 && strcmp(measure_result_text(NULL), "") == 0);
    FAILS(measure_result_counts(NULL, &counts, sizeof counts, &error), MEASURE_ERROR_ARGUMENT, "the result is NULL");
    measure_result_free(NULL);

    /* Keeps the summary only. */
    measure_plan_set_text(plan, "keep", "summary", NULL);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    {
        measure_sample sample;
        measure_rank_summary summary;
        FAILS(measure_result_sample(result, 0, &sample, sizeof sample, &error), MEASURE_ERROR_ARGUMENT,
              "keeps samples");
        FAILS(measure_result_rank(result, 0, &summary, sizeof summary, &error), MEASURE_ERROR_ARGUMENT, "keeps ranks");
    }
    measure_result_free(result);
    measure_plan_free(plan);
}

/* The body of the last rank fails every fourth time: these samples are invalid on all ranks. */
static void test_void_samples(struct world const* world) {
    struct calls calls = {.comm = world->comm};
    measure_operation operation = {.body = count_body};
    measure_plan* const plan = counted_plan(16);
    measure_result* result = NULL;
    measure_counts n;
    measure_rank_summary mine;
    operation.context = &calls;
    calls.fail_every = world->rank == world->size - 1 ? 4 : 0;
    measure_plan_set_number(plan, "warm_up", 0, NULL);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    CHECK(measure_result_counts(result, &n, sizeof n, NULL) == MEASURE_OK);
    CHECK(n.attempts == 16 && n.valid == 12 && n.failed == 4 && n.late + n.overrun + n.slip + n.backward == 0);
    CHECK(strcmp(measure_result_verdict(result), "exhausted") == 0);
    CHECK(strcmp(measure_result_stop_reason(result), "exhausted") == 0);
    measure_result_free(result);

    /* All samples are invalid: there is no value. */
    calls.fail_every = 0;
    calls.bodies = 0;
    calls.fail_finish = world->rank == 0;
    operation.finish = count_finish;
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    CHECK(measure_result_counts(result, &n, sizeof n, NULL) == MEASURE_OK);
    CHECK(n.attempts == 16 && n.valid == 0 && n.failed == 16 && n.kept == 0);
    CHECK(strcmp(measure_result_verdict(result), "no_valid_samples") == 0);
    CHECK(strstr(measure_result_message(result), "16 failed") != NULL);
    CHECK(measure_result_mine(result, &mine, sizeof mine, NULL) == MEASURE_OK && mine.valid == 0 && isnan(mine.mean));
    measure_result_free(result);
    measure_plan_free(plan);
}

/* An MPI error code is reported with the text of the MPI library. */
static void test_code_of_mpi(struct world const* world) {
    struct calls calls = {.comm = world->comm};
    measure_operation const operation = {.body = send_to_nobody, .context = &calls};
    measure_plan* const plan = counted_plan(8);
    measure_result* result = NULL;
    measure_counts n;
    CHECK(MPI_Comm_dup(world->comm, &calls.comm) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(calls.comm, MPI_ERRORS_RETURN);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    CHECK(measure_result_counts(result, &n, sizeof n, NULL) == MEASURE_OK && n.valid == 0 && n.failed == n.attempts);
    CHECK(strstr(measure_result_message(result), "for MPI: ") != NULL);
    measure_result_free(result);
    measure_plan_free(plan);
    MPI_Comm_free(&calls.comm);
}

/* A single sample has no standard error. */
static void test_single_sample(struct world const* world) {
    struct calls calls = {.comm = world->comm};
    measure_operation const operation = {.body = count_body, .context = &calls};
    measure_plan* const plan = counted_plan(1);
    measure_result* result = NULL;
    measure_estimate e;
    measure_rank_summary mine;
    measure_plan_set_number(plan, "stage", 1, NULL);
    CHECK(measure_run(world->team, plan, &operation, sizeof operation, &result, NULL) == MEASURE_OK);
    CHECK(measure_result_estimate(result, &e, sizeof e, NULL) == MEASURE_OK);
    CHECK(isnan(e.standard_error) && isnan(e.interval_low) && isnan(e.interval_high));
    CHECK(isnan(e.value) == (world->rank > 0));
    CHECK(measure_result_mine(result, &mine, sizeof mine, NULL) == MEASURE_OK);
    CHECK(mine.valid == 1 && mine.mean > 0 && isnan(mine.standard_error));
    measure_result_free(result);
    measure_plan_free(plan);
}

/* One rank throws; all ranks report the same text. */
static void test_exceptions(struct world const* world) {
    int const last = world->size - 1;
    measure_operation const operations[] = {
        {.body = throwing_body, .context = world->rank == last ? (void*)world : NULL},
        {.body = count_body, .finish = throwing_finish},
        {.body = count_body, .finish = count_finish, .prepare = throwing_prepare}};
    char const* const texts[] = {"thrown by the body", "not a std::exception", "bad_alloc"};
    struct calls calls = {.comm = world->comm};
    measure_plan* const plan = counted_plan(8);
    measure_error error;
    int i;
    for (i = 0; i < 3; ++i) {
        measure_operation operation = operations[i];
        measure_result* result = NULL;
        char said[MEASURE_MESSAGE_SIZE];
        if (i > 0)
            operation.context = &calls;
        FAILS(measure_run(world->team, plan, &operation, sizeof operation, &result, &error), MEASURE_ERROR_BODY,
              texts[i]);
        CHECK(result == NULL);
        memcpy(said, error.message, sizeof said);
        MPI_Bcast(said, (int)sizeof said, MPI_CHAR, 0, world->comm);
        CHECK(strcmp(said, error.message) == 0);
    }
    measure_plan_free(plan);
}

void test_failing_runs(struct world const* world) {
    struct calls calls = {.comm = world->comm};
    measure_operation const operation = {.body = count_body, .context = &calls};
    measure_operation const bodiless = {.context = &calls};
    measure_plan* const plan = counted_plan(8);
    measure_result* result = NULL;
    measure_error error;
    struct {
        measure_operation operation;
        void* more;
    } const newer = {.operation = operation};
    size_t const size = sizeof operation;
    FAILS(measure_run(NULL, plan, &operation, size, &result, &error), MEASURE_ERROR_ARGUMENT, "communicator is NULL");
    FAILS(measure_run(world->team, NULL, &operation, size, &result, &error), MEASURE_ERROR_ARGUMENT,
          "the plan is NULL");
    FAILS(measure_run(world->team, plan, NULL, size, &result, &error), MEASURE_ERROR_ARGUMENT, "operation is NULL");
    FAILS(measure_run(world->team, plan, &operation, size, NULL, &error), MEASURE_ERROR_ARGUMENT, "for the result");
    FAILS(measure_run(world->team, plan, &bodiless, size, &result, &error), MEASURE_ERROR_ARGUMENT, "the body");
    FAILS(measure_run(world->team, plan, world->rank == 0 ? &bodiless : &operation, size, &result, &error),
          MEASURE_ERROR_ARGUMENT, "the body of the operation is NULL");
    FAILS(measure_run(world->team, plan, &newer.operation, sizeof newer, &result, &error), MEASURE_ERROR_ARGUMENT,
          "bytes");
    CHECK(calls.bodies == 0 && result == NULL);
    CHECK(measure_run(world->team, NULL, NULL, 0, NULL, NULL) == MEASURE_ERROR_ARGUMENT);
    measure_plan_free(plan);
    test_void_samples(world);
    test_code_of_mpi(world);
    test_single_sample(world);
    test_exceptions(world);
}
