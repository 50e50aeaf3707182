/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded before a program: distorts the clocks that it reads with clock_gettime and gettimeofday (including
   MPI_Wtime, not the TSC). BENT_CLOCK contains words separated by commas:
   step=S    readings are multiples of S seconds, rounded down
   back=S    a jump back by S seconds, at the times given by the next two
   after=S   .. once, S seconds after the first reading
   every=N   .. at each N-th reading: the same samples in each run
   rank=R    only on this rank
   wall      only gettimeofday; the other clocks are right
   Example: "back=3,every=7,wall". An unknown word ends the program. */
#define _GNU_SOURCE
#include <sys/time.h>
#include <time.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t const giga = 1000000000;

static int (*real_gettime)(clockid_t, struct timespec*);
static int (*real_timeofday)(struct timeval*, void*);
static int64_t step = 1; /* ns, like all times */
static int64_t back = 0;
static int64_t after = -1; /* below 0: not requested */
static int64_t every = 0;  /* readings; 0: not requested */
static int only_wall = 0;
static int64_t begun = 0;
static int64_t readings = 0;

static int is_mine(char const* rank) {
    char const* const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK"};
    for (int i = 0; i < 2; ++i)
        if (getenv(names[i]) != NULL)
            return strcmp(getenv(names[i]), rank) == 0;
    return strcmp(rank, "0") == 0;
}

static int64_t nanoseconds(char const* seconds) { return (int64_t)(atof(seconds) * 1e9 + 0.5); }

static int64_t real_now(clockid_t clock) {
    struct timespec t = {0, 0};
    real_gettime(clock, &t);
    return (int64_t)t.tv_sec * giga + t.tv_nsec;
}

__attribute__((constructor)) static void read_rules(void) {
    *(void**)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    *(void**)&real_timeofday = dlsym(RTLD_NEXT, "gettimeofday");
    begun = real_now(CLOCK_MONOTONIC_RAW);
    char rules[256] = "";
    if (getenv("BENT_CLOCK") != NULL)
        snprintf(rules, sizeof rules, "%s", getenv("BENT_CLOCK"));
    int bends = 1;
    char* rest = NULL;
    for (char* word = strtok_r(rules, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        char const* const value = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : "";
        if (strncmp(word, "step=", 5) == 0)
            step = nanoseconds(value);
        else if (strncmp(word, "back=", 5) == 0)
            back = nanoseconds(value);
        else if (strncmp(word, "after=", 6) == 0)
            after = nanoseconds(value);
        else if (strncmp(word, "every=", 6) == 0)
            every = atoll(value);
        else if (strncmp(word, "rank=", 5) == 0)
            bends = is_mine(value);
        else if (strcmp(word, "wall") == 0)
            only_wall = 1;
        else {
            fprintf(stderr, "BENT_CLOCK: '%s' is not a known word\n", word);
            abort();
        }
    }
    if (!bends || step < 1) {
        step = 1;
        back = 0;
    }
}

/* How often the clock has jumped back. */
static int64_t times_back(void) {
    if (every > 0)
        return __atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED) / every;
    return after >= 0 && real_now(CLOCK_MONOTONIC_RAW) - begun >= after ? 1 : 0;
}

static int64_t bent(int64_t time) {
    int64_t const moved = back > 0 ? time - times_back() * back : time;
    int64_t const over = moved % step;
    return moved - (over < 0 ? over + step : over);
}

static int64_t seconds_of(int64_t time) { return time / giga - (time % giga < 0 ? 1 : 0); }

int clock_gettime(clockid_t clock, struct timespec* t) {
    if (real_gettime == NULL) /* before the constructor */
        *(void**)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int const code = real_gettime(clock, t);
    int const is_cpu_time = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    if (code != 0 || only_wall || is_cpu_time)
        return code;
    int64_t const time = bent((int64_t)t->tv_sec * giga + t->tv_nsec);
    t->tv_sec = (time_t)seconds_of(time);
    t->tv_nsec = (long)(time - seconds_of(time) * giga);
    return code;
}

int gettimeofday(struct timeval* restrict t, void* restrict zone) {
    if (real_timeofday == NULL)
        *(void**)&real_timeofday = dlsym(RTLD_NEXT, "gettimeofday");
    int const code = real_timeofday(t, zone);
    if (code != 0)
        return code;
    int64_t const time = bent(((int64_t)t->tv_sec * 1000000 + t->tv_usec) * 1000);
    t->tv_sec = (time_t)seconds_of(time);
    t->tv_usec = (suseconds_t)((time - seconds_of(time) * giga) / 1000);
    return code;
}
