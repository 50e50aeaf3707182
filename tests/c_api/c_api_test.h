/* SPDX-License-Identifier: BSD-3-Clause */
/** Declarations shared by the sources of the C interface test. */
#ifndef C_API_TEST_H
#define C_API_TEST_H

#include <measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reports a condition that does not hold. */
void check_that(int holds, char const* condition, char const* file, int line);
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
/** The call must fail with this code, and its message must contain `part`. */
#define FAILS(call, expected, part) check_failure((call), (expected), (part), &error, #call, __FILE__, __LINE__)
void check_failure(int code, int expected, char const* part, measure_error const* error, char const* call,
                   char const* file, int line);

/** Arguments of every test case. */
struct world {
    MPI_Comm comm;
    int rank, size;
    measure_comm* team;
    measure_timer* timer; /**< monotonic_raw */
    char const* folder;   /**< for files that a test case writes */
};

void test_communicators(struct world const* world);
void test_timers(struct world const* world);
void test_clocks(struct world const* world);
void test_synthetic_clocks(struct world const* world);
void test_plans(struct world const* world);
void test_plans_that_cannot_be(struct world const* world);
void test_runs(struct world const* world);
void test_results(struct world const* world);
void test_failing_runs(struct world const* world);
void test_records(struct world const* world);
void test_records_that_cannot_be(struct world const* world);
void test_full_disk(struct world const* world);
void test_regions(struct world const* world);
void test_regions_that_cannot_be(struct world const* world);

/** Implemented in C++: callbacks that throw, and an operator new that fails. */
int throwing_body(void* context, measure_iteration iteration);
int throwing_finish(void* context);
void throwing_prepare(void* context, measure_iteration iteration);
/** Selects what operator new throws from now on: 0 = nothing, 1 = bad_alloc, 2 = runtime_error, 3 = an int. */
void new_throws(int what);

#ifdef __cplusplus
}
#endif

#endif
