/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The C interface of libmeasure: timers, global clocks, measurements by a plan, records. C99 and later, and C++.
 *
 *     static int exchange(void* context, measure_iteration iteration) {
 *         struct ring const* ring = context;
 *         ...
 *     }
 *     ...
 *         measure_plan_create("slotted", &plan, &error);
 *         ...
 *         measure_plan_set_number(plan, "relative_error", 0.05, NULL);
 *         ...
 *         measure_operation const operation = {.body = exchange, .context = ring};
 *         ...
 *         int code = measure_run(team, plan, &operation, sizeof operation, &result, error);
 *
 * Conventions of all functions:
 *
 * - Objects are opaque. A function that creates an object stores a pointer to it. The matching `_free` function
 *   destroys the object and accepts NULL. If creation fails, the stored pointer is NULL. `const` arguments are not
 *   kept, unless stated.
 * - A function that can fail returns MEASURE_OK or one of the codes below, and describes the error in `*error`.
 *   `error` may be NULL. NULL instead of an object and an unknown name are errors. After an error, the contents of all
 *   other output arguments are undefined. No exception leaves the library.
 * - "Collective" functions must be called by all ranks of the communicator with the same arguments, except for each
 *   rank's own objects. If one rank passes a wrong argument, all ranks return the error, unless the wrong argument is
 *   the communicator or the object that holds it. All other functions are local.
 * - Times are in seconds. A missing number is NaN, a missing text is "". Texts end with '\0', belong to the object that
 *   returned them, and live as long as this object.
 * - A struct argument is followed by its size (`sizeof`). Later versions of the library append members to structs, but
 *   read or fill only the members that the program was compiled with.
 *
 * The library never calls MPI_Init or MPI_Finalize. Free all objects before MPI_Finalize. After MPI_Finalize, a
 * collective call with a communicator of MPI is an error. An object must not be used by two threads at the same time.
 */
#ifndef MEASURE_H
#define MEASURE_H

#ifdef __cplusplus
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#endif

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- Errors ---- */

/** Return value of a function. The numbers of the codes never change. */
enum measure_code {
    MEASURE_OK = 0,             /**< success */
    MEASURE_ERROR_ARGUMENT = 1, /**< NULL, a value out of range, an unknown name, or an inconsistent plan */
    MEASURE_ERROR_MPI = 2,      /**< a call of the MPI library failed */
    MEASURE_ERROR_BODY = 3,     /**< a callback threw a C++ exception, on any rank */
    MEASURE_ERROR_MEMORY = 4,   /**< out of memory */
    MEASURE_ERROR_FILE = 5,     /**< a record cannot be opened or written */
    MEASURE_ERROR_INTERNAL = 6  /**< a defect of the library */
};

/** Size of an error's message in bytes, including the terminating '\0'. */
#define MEASURE_MESSAGE_SIZE 508

/** Why a function failed; owned by the caller. The layout never changes. */
typedef struct measure_error {
    int code;                           /**< return value of the function, a measure_code */
    char message[MEASURE_MESSAGE_SIZE]; /**< one line without line end, truncated if too long; "" after success */
} measure_error;

/** Version of the library, such as "0.1.0". */
char const* measure_version(void);

/* ---- Communicators ---- */

/** A duplicate of a communicator. The library never uses the caller's communicator or changes its error handler. */
typedef struct measure_comm measure_comm;

/** Duplicates an intra-communicator. Collective over `user`; MPI must be initialised. */
int measure_comm_create(MPI_Comm user, measure_comm** comm, measure_error* error);
/** Duplicates an intra-communicator given as a Fortran handle (an INTEGER, or MPI_VAL of a type(MPI_Comm)). Collective
 * over `user`; MPI must be initialised. */
int measure_comm_create_fortran(MPI_Fint user, measure_comm** comm, measure_error* error);
/** Creates a communicator of one rank without MPI. Works before MPI_Init. Local. */
int measure_comm_create_solo(measure_comm** comm, measure_error* error);
/** Frees the communicator, if it is not NULL. Collective, except for a communicator without MPI. */
void measure_comm_free(measure_comm* comm);
/** Rank of the caller, 0 .. size - 1; -1 for NULL. */
int measure_comm_rank(measure_comm const* comm);
/** Number of ranks; 0 for NULL. */
int measure_comm_size(measure_comm const* comm);
/** Not 0: some host has more ranks than available cores. Ranks then start late, and points are flagged. */
int measure_comm_is_oversubscribed(measure_comm const* comm);

/* ---- Timers ---- */

/** A clock that time stamps are read from. Local. */
typedef struct measure_timer measure_timer;

/** Properties of a timer, measured on this rank. */
typedef struct measure_timer_info {
    double frequency;    /**< ticks per second; 0 if the clock has no frequency */
    double nominal;      /**< nominal step of the clock, s */
    double resolution;   /**< smallest step observed, s */
    double granularity;  /**< most frequent step observed, s */
    double overhead;     /**< cost of a reading inside a measurement, s; measure_timer_now adds one function call */
    double overhead_p99; /**< 99th percentile of the cost of a reading, s */
    int64_t backward;    /**< number of steps back in time; if not 0, the timer is broken */
} measure_timer_info;

/** Names of all timers known on this machine, separated by blanks. Some may not work on this host. */
char const* measure_timer_names(void);
/** Creates a timer by its name, in any letter case, or "synthetic:BASE,skew=..,ppm=..,quant=..,jitter=..".
 * Collective, because "tsc" is calibrated once per host. */
int measure_timer_create(measure_comm const* comm, char const* name, measure_timer** timer, measure_error* error);
/** Frees the timer, if it is not NULL. */
void measure_timer_free(measure_timer* timer);
/** Name that the timer was created with, in lower case; "" for NULL. */
char const* measure_timer_name(measure_timer const* timer);
/** Reads a time stamp. A later stamp is not smaller. measure_timer_seconds gives the time between two stamps. 0 for
 * NULL. */
int64_t measure_timer_now(measure_timer const* timer);
/** Time from one stamp of this timer to another, s. NaN for NULL. */
double measure_timer_seconds(measure_timer const* timer, int64_t from, int64_t to);
/** Measures the resolution and the cost of a reading. Takes up to 50 ms. */
int measure_timer_calibrate(measure_timer const* timer, measure_timer_info* info, size_t size, measure_error* error);

/* ---- Global clock ---- */

/** A timer with this rank's offset to the timer of rank 0. "Root time" is the time that rank 0's timer shows, in
 * seconds since an arbitrary common origin. */
typedef struct measure_clock measure_clock;

/** Results of a clock synchronisation; the same on all ranks. */
typedef struct measure_sync_report {
    double duration;      /**< duration of the synchronisation, s */
    double bound;         /**< largest guaranteed error over ranks, s; NaN if no error is guaranteed */
    double uncertainty;   /**< largest standard error of a drift model's offset, s; NaN without a drift model */
    double drift;         /**< largest |rate| of a drift model, ppm; NaN without a drift model */
    double closure;       /**< sum of the offsets around a ring, s; NaN without a ring */
    double closure_bound; /**< if |closure| is larger than this, a pair of the ring is wrong, s */
    double rtt_min;       /**< shortest round trip of each pair: smallest over pairs, s */
    double rtt_median;    /**< shortest round trip of each pair: median over pairs, s */
    double rtt_max;       /**< shortest round trip of each pair: largest over pairs, s */
    double offset_max;    /**< largest |offset| over ranks, s */
    int64_t consistent;   /**< 0: a pair still contradicted itself in its last attempt, or a ring does not close */
    int64_t poor;         /**< pairs whose round trips were still long in the last attempt */
    int64_t hosts;        /**< number of hosts with ranks */
    int64_t edges;        /**< number of measured pairs */
    int64_t messages;     /**< number of messages sent from rank to rank */
    int64_t kept;         /**< later synchronisations that were less exact and therefore discarded */
    int64_t shared;       /**< pairs measured through the shared memory of a host */
} measure_sync_report;

/** How this rank left measure_harmonize. */
typedef struct measure_harmony {
    double start;    /**< the common instant in root time, s */
    double lateness; /**< delay of this rank after the instant, by its own clock, s; negative: it did not wait */
    int64_t in_time; /**< not 0: the rank continued within the tolerance of a slot's start */
} measure_harmony;

/** Synchronises the clocks of all ranks. Collective.
 * \param algorithm  one of "none" "linear" "ring" "ring:plain" "tree" "jk" "hca3" "hier" "auto" "global", in any letter
 * case */
int measure_clock_create(measure_comm const* comm, measure_timer const* timer, char const* algorithm,
                         measure_clock** clock, measure_error* error);
/** Frees the clock, if it is not NULL. Plans that use the clock keep their own copy. */
void measure_clock_free(measure_clock* clock);
/** Name of the algorithm. For "auto", the algorithm that was chosen. */
char const* measure_clock_algorithm(measure_clock const* clock);
/** Current root time, s. This and the following functions return NaN for NULL, unless stated. */
double measure_clock_now(measure_clock const* clock);
/** Converts a stamp of the clock's timer to root time, s. */
double measure_clock_to_root(measure_clock const* clock, int64_t stamp);
/** Stamp that this rank's timer shows at a root time. 0 for NULL. */
int64_t measure_clock_to_local(measure_clock const* clock, double root_time);
/** Root time minus local time at the time of the synchronisation, s. */
double measure_clock_offset(measure_clock const* clock);
/** Guaranteed error of this rank's offset at the time of the synchronisation, s; NaN if no error is guaranteed. */
double measure_clock_bound(measure_clock const* clock);
/** Standard error of the drift model's offset at the current time, s; NaN without a drift model. */
double measure_clock_uncertainty(measure_clock const* clock);
/** Time since the synchronisation, s. */
double measure_clock_age(measure_clock const* clock);
/** Gets the report of the synchronisation. \param size  sizeof *report */
int measure_clock_report(measure_clock const* clock, measure_sync_report* report, size_t size, measure_error* error);
/** Measures the offsets again and gives the error of the clock in seconds: the drift since the synchronisation, or the
 * whole offset if the clocks were not synchronised. Collective over the communicator of the clock.
 * \param largest, rms  error over ranks, s; NaN for a single rank; may be NULL */
int measure_clock_residual(measure_comm const* comm, measure_clock const* clock, double* largest, double* rms,
                           measure_error* error);
/** Returns on all ranks at one instant of root time. Collective over the communicator of the clock.
 * \param ahead  time from the root's broadcast to the instant, s, >= 0; 0: chosen from ten measured broadcasts */
int measure_harmonize(measure_comm const* comm, measure_clock const* clock, double ahead, measure_harmony* harmony,
                      size_t size, measure_error* error);

/* ---- Plans ---- */

/** How to measure. Settings that are not set keep the default of the pattern. A setting that fails is remembered: the
 * functions that use the plan, such as measure_run, then fail with the same error. So the return values of the setters
 * need not be checked. */
typedef struct measure_plan measure_plan;

/** Creates a plan with the settings of a pattern. An unknown pattern is remembered as a failed setting: the plan is
 * created, and the functions that use it fail with this error.
 * \param pattern  "default": slots, or round-time starts if there are more ranks than cores; "slotted": collectives
 *     with synchronised starts; "collective": starts after a barrier, timed by the root; "ping_pong": two ranks that
 *     answer each other; "simple": a local operation of the root */
int measure_plan_create(char const* pattern, measure_plan** plan, measure_error* error);
/** Frees the plan, if it is not NULL. */
void measure_plan_free(measure_plan* plan);

/** Sets an option that has a name as its value. Names and values are accepted in any letter case:
 *
 *     start       auto free barrier dissemination slot roundtime      how ranks begin a sample
 *     sync        none linear ring ring:plain tree jk hca3 hier auto global  how clocks are synchronised for slot and
 *                                                                     roundtime starts
 *     combine     root max min mean span                              how the ranks' times form the time of a sample
 *     correction  none empty_loop barrier                             overhead to report next to the value
 *     keep        summary ranks samples                               data to keep in the result
 *     slot_rule   doubling paper                                      how slots grow; "paper": as in the MPIPerf paper
 *     error       winsorized over_sqrt_n over_sqrt_kept               which standard error to use as standard_error
 */
int measure_plan_set_text(measure_plan* plan, char const* name, char const* value, measure_error* error);

/** Sets a number. The first five names select the stopping rule. If several of them are set, the last one applies:
 *
 *     interval        > 0        until half the width of the median's interval is at most this share of the median, in
 *                                two successive stages; default for the patterns default and slotted: 0.02
 *     relative_error  > 0        until standard error / mean is at most this
 *     skampi          > 0        rule of the SKaMPI paper: until standard error / trimmed mean is below this; default
 *                                for the other patterns: 0.03
 *     count           >= 1       until there are this many valid samples
 *     duration        > 0  s     for this long
 *
 *     at_least        >= 0       valid samples (for count: samples tried) required before the rule can be met;
 *                                default: 16 for interval, 10 for relative_error, 8 for skampi, otherwise 0
 *     at_most         >= 1       samples tried (for skampi: valid samples) after which the measurement is exhausted;
 *                                default: 100; for count ten times the count if this is more; for skampi 1000
 *     time_budget     > 0  s     time per epoch after which the measurement is exhausted
 *     warm_up         >= 0       number of samples to discard at the beginning
 *     settle          0 or 1     extend the warm-up until page faults have ended and times are steady; default: 1
 *     limit           > 0  s     time after which the point ends, provided that 3 samples are valid; default: 10
 *     stage           >= 1       samples between two decisions whether to continue
 *     epochs          >= 1       repetitions of the point, each with a new clock synchronisation
 *     iterations      >= 1       calls of the body in one sample
 *     window          > 0  s     choose the number of calls so that a sample lasts 2/3 to 4/3 of this
 *     trim            0 .. 0.5   share of the samples to cut at each end
 *     confidence      0 < c < 1  confidence level of the intervals
 *     slot_growth     1.1 .. 2   factor by which slots grow when they are too short
 *     invalid_share   0 .. 1     share of invalid samples in a stage that is accepted without longer slots
 *     broadcast_factor > 0       factor on the measured duration of a broadcast
 *     resync_after    > 0  s     age at which a clock is synchronised again
 *     check_clocks    0 or 1     measure the offsets again after the point
 *     start_falls_back 0 or 1    if all samples in slots are invalid, measure the point again with barriers; default: 1
 */
int measure_plan_set_number(measure_plan* plan, char const* name, double value, measure_error* error);
/** Sets the timer to measure with; the plan keeps a copy. The default is mpi_wtime. */
int measure_plan_set_timer(measure_plan* plan, measure_timer const* timer, measure_error* error);
/** Sets a clock of the same communicator and of the plan's timer. It is used until it is too old (`resync_after`). The
 * plan keeps a copy. */
int measure_plan_set_clock(measure_plan* plan, measure_clock const* clock, measure_error* error);

/* ---- Measurements ---- */

/** Identifies an execution of the body. The layout never changes. */
typedef struct measure_iteration {
    int64_t index;  /**< number of earlier executions in this epoch, including warm-up */
    int64_t sample; /**< number of the attempt, from 0; -1, -2, .. during warm-up */
} measure_iteration;

/** The operation to measure. `body` is required, the other callbacks may be NULL. A callback written in C++ may throw;
 * the measurement then ends with MEASURE_ERROR_BODY on all ranks. Callbacks must not leave by longjmp. */
typedef struct measure_operation {
    /** Timed. \return 0 for success; any other value marks the sample as invalid on all ranks */
    int (*body)(void* context, measure_iteration iteration);
    /** Timed. Called once at the end of each sample: an acknowledgement or a wait for all. Returns like body. */
    int (*finish)(void* context);
    /** Not timed. Called before each sample, for example to flush caches. With slots, its time is part of the slot. */
    void (*prepare)(void* context, measure_iteration iteration);
    void* context; /**< passed to the callbacks; each rank has its own */
} measure_operation;

/** The result of a measurement. */
typedef struct measure_result measure_result;

/** Numbers of a measurement, in seconds per iteration unless stated. Filled on the root; NaN on all other ranks. */
typedef struct measure_estimate {
    double value;                         /**< the headline value: trimmed mean, or mean over epochs */
    double standard_error;                /**< standard error of value */
    double confidence;                    /**< confidence level of the intervals */
    double interval_low;                  /**< lower end of the interval of value */
    double interval_high;                 /**< upper end of the interval of value */
    double median;                        /**< median; members from here to effective_samples do not depend on trim */
    double median_low;                    /**< lower end of the median's non-parametric interval */
    double median_high;                   /**< upper end of the median's non-parametric interval */
    double min;                           /**< the shortest sample */
    double max;                           /**< the longest sample */
    double quantile_05;                   /**< quantile 0.05: 5 % of the samples are shorter */
    double quantile_25;                   /**< lower quartile */
    double quantile_75;                   /**< upper quartile */
    double quantile_95;                   /**< quantile 0.95: 5 % of the samples are longer */
    double relative_standard_error;       /**< standard deviation / sqrt(samples) / mean, dimensionless */
    double skewness;                      /**< skewness, dimensionless: 0 if symmetric, > 0 for a tail of long times */
    double autocorrelation;               /**< autocorrelation at lag 1, -1 .. 1 */
    double effective_samples;             /**< number of independent samples with the same precision */
    double ranks_min;                     /**< smallest of the ranks' own means */
    double ranks_mean;                    /**< mean of the ranks' own means */
    double ranks_max;                     /**< largest of the ranks' own means */
    double span;                          /**< last end minus first begin; this and the next two need global clocks */
    double start_imbalance;               /**< latest minus earliest begin */
    double exit_imbalance;                /**< latest minus earliest end */
    double correction;                    /**< time of an empty sample; not subtracted from value */
    double corrected;                     /**< value minus each rank's own correction */
    double sync_bound;                    /**< guaranteed error of the clocks, s */
    double sync_age;                      /**< age of the clock synchronisation at the end, s */
    double sync_residual;                 /**< largest clock difference when the offsets were measured again, s */
    double elapsed;                       /**< duration of the measurement, s */
    double kept_min;                      /**< smallest of the samples that the mean is computed from */
    double kept_max;                      /**< largest of the samples that the mean is computed from */
    double standard_error_over_sqrt_n;    /**< standard deviation of the kept samples / sqrt(valid) */
    double standard_error_over_sqrt_kept; /**< standard deviation of the kept samples / sqrt(kept) */
    double standard_error_winsorized;     /**< Winsorised standard error; used as standard_error by default */
    double first_call;                    /**< first call of the warm-up on the root, s */
    double second_call;                   /**< second call of the warm-up on the root, s */
    double broadcast_bound;               /**< time allowed for telling all ranks when the first sample starts, s */
    double relative_mad;                  /**< median distance of all valid samples from their median / median */
    double clock_step;                    /**< step of the clock divided by the iterations of a sample; 0 if unknown */
    double middle;                        /**< mean of the middle half; NaN unless the median is below 100 clock_step */
} measure_estimate;

/** Numbers of samples; the same on all ranks. */
typedef struct measure_counts {
    int64_t attempts;              /**< samples tried, valid and invalid, without warm-up */
    int64_t valid;                 /**< valid samples */
    int64_t kept;                  /**< valid samples that remain after trimming */
    int64_t late;                  /**< invalid: the start had passed when a rank began to wait for it */
    int64_t overrun;               /**< invalid: ended after its slot */
    int64_t slip;                  /**< invalid: a rank left its wait too late */
    int64_t failed;                /**< invalid: the body reported a failure */
    int64_t iterations_per_sample; /**< calls of the body between two clock readings */
    int64_t backward;              /**< invalid: a rank's clock went back during the sample */
    int64_t lost_in_slots;         /**< invalid samples in slots, before the start fell back to barriers */
} measure_counts;

/** Summary of one rank's own valid samples, in seconds per iteration. */
typedef struct measure_rank_summary {
    int64_t rank;          /**< rank in the communicator of the measurement */
    int64_t valid;         /**< number of valid samples; the same on all ranks */
    double mean;           /**< mean of the durations of this rank's samples, as for the following members */
    double standard_error; /**< standard error of mean; NaN for fewer than two samples */
    double median;         /**< median duration */
    double min;            /**< shortest duration */
    double max;            /**< longest duration */
    double kept_mean;      /**< mean over the samples that the estimate keeps */
} measure_rank_summary;

/** One sample, joined over ranks, in seconds per iteration. */
typedef struct measure_sample {
    double time;            /**< time of the sample by the plan's combine; also given for invalid samples */
    double span;            /**< last end minus first begin; NaN without synchronised clocks */
    int64_t stage;          /**< stage of the sample, from 1 */
    int64_t invalid;        /**< a measure_invalid_reason */
    int64_t iterations;     /**< executions of the body between the two clock readings of the root */
    double start_imbalance; /**< latest minus earliest begin */
    double exit_imbalance;  /**< latest minus earliest end */
} measure_sample;

/** Why a sample is invalid. The numbers never change. */
enum measure_invalid_reason {
    MEASURE_VALID = 0,   /**< the sample is valid */
    MEASURE_OVERRUN = 1, /**< ended after its slot */
    MEASURE_SLIP = 2,    /**< a rank left its wait too late: it was pre-empted while it waited */
    MEASURE_LATE = 3,    /**< the start had passed when a rank began to wait for it */
    MEASURE_FAILED = 4,  /**< the body reported a failure */
    MEASURE_BACKWARD = 5 /**< a rank's clock went back during the sample or its wait; negative times become 0 */
};

/** Measures an operation by a plan. Collective. The library adds one call through a function pointer to each iteration.
 * \param size  sizeof *operation */
int measure_run(measure_comm const* comm, measure_plan const* plan, measure_operation const* operation, size_t size,
                measure_result** result, measure_error* error);
/** Frees the result, if it is not NULL. */
void measure_result_free(measure_result* result);
/** Gets the value, its errors and further statistics of the times. \param size  sizeof *estimate */
int measure_result_estimate(measure_result const* result, measure_estimate* estimate, size_t size,
                            measure_error* error);
/** Gets the numbers of samples by outcome. \param size  sizeof *counts */
int measure_result_counts(measure_result const* result, measure_counts* counts, size_t size, measure_error* error);
/** Gets this rank's summary. \param size  sizeof *summary */
int measure_result_mine(measure_result const* result, measure_rank_summary* summary, size_t size, measure_error* error);
/** Gets the summary of any rank. Root only, for a plan whose keep is ranks or samples. \param size  sizeof *summary */
int measure_result_rank(measure_result const* result, int rank, measure_rank_summary* summary, size_t size,
                        measure_error* error);
/** Gets a sample, valid or invalid. Root only, for a plan whose keep is samples.
 * \param index  0 .. attempts - 1  \param size  sizeof *sample */
int measure_result_sample(measure_result const* result, int64_t index, measure_sample* sample, size_t size,
                          measure_error* error);
/** "converged", "exhausted" or "no_valid_samples". Verdict, stop reason and message are the same on all ranks. */
char const* measure_result_verdict(measure_result const* result);
/** What ended the measurement: "interval" "relative_error" "count" "clock_step" "budget" "exhausted". */
char const* measure_result_stop_reason(measure_result const* result);
/** A sentence that explains what went wrong; "" otherwise. */
char const* measure_result_message(measure_result const* result);
/** How the ranks began samples: "free" "barrier" "dissemination" "slot" "roundtime". */
char const* measure_result_start(measure_result const* result);
/** Flags such as "oversubscribed near_timer_floor", separated by blanks. Complete on the root only. */
char const* measure_result_flags(measure_result const* result);
/** One line with the estimate, its error, the number of valid samples and the stop reason. Complete on the root only.
 */
char const* measure_result_text(measure_result const* result);

/* ---- Records ---- */

/** The settings of one measurement: named coordinates in the order of their addition. A coordinate that cannot be set
 * is remembered as in a plan. */
typedef struct measure_point measure_point;

/** Creates a point without coordinates. */
int measure_point_create(measure_point** point, measure_error* error);
/** Frees the point, if it is not NULL. */
void measure_point_free(measure_point* point);
/** Adds or replaces an integer coordinate. "bytes" is the size of the data, "ranks" the number of ranks. */
int measure_point_set_integer(measure_point* point, char const* name, int64_t value, measure_error* error);
/** Adds or replaces a floating-point coordinate. \param value  finite */
int measure_point_set_number(measure_point* point, char const* name, double value, measure_error* error);
/** Adds or replaces a text coordinate. \param value  may be empty, must not be NULL */
int measure_point_set_text(measure_point* point, char const* name, char const* value, measure_error* error);

/** A file of records, one line of JSON each (docs/records.md). Rank 0 writes and flushes every line immediately. */
typedef struct measure_record measure_record;

/** Opens a file, replaces its contents, and writes the line of the launch: machine, MPI library, timer, settings of the
 * plan. Fails with MEASURE_ERROR_FILE and leaves the file unchanged if another program is still writing it. Collective.
 * \param comm     is kept and must outlive the record
 * \param path     "-" for standard output; used on the root only
 * \param program  name of the program
 * \param argc, argv  arguments of main, or 0 and NULL */
int measure_record_open(measure_comm const* comm, measure_plan const* plan, char const* path, char const* program,
                        int argc, char* const* argv, measure_record** record, measure_error* error);
/** Closes the file. Without an earlier measure_record_end, readers report that the program was killed. */
void measure_record_free(measure_record* record);
/** Writes the time of a measured point. On ranks other than the root, this and the next two functions do nothing.
 * \param at  coordinates of the point; NULL: none */
int measure_record_point(measure_record* record, char const* benchmark, measure_point const* at,
                         measure_result const* result, measure_error* error);
/** Writes a measured point as a rate: work per iteration divided by its time.
 * \param quantity  "bandwidth" (work in bytes), "rate" (work in any items), "flops" (work in floating-point operations)
 * \param work  per iteration, > 0 */
int measure_record_rate(measure_record* record, char const* benchmark, measure_point const* at,
                        measure_result const* result, char const* quantity, double work, measure_error* error);
/** Writes a point without a value. \param status  "skipped" or "crashed"  \param reason  a sentence, not empty */
int measure_record_missing(measure_record* record, char const* benchmark, measure_point const* at, char const* status,
                           char const* reason, measure_error* error);
/** Writes the last line. No more lines can be written afterwards. Collective. If any line could not be written, all
 * ranks return MEASURE_ERROR_FILE.
 * \param exit_code  of the program, 0 .. 255: 1 and 2 are failures, 128 + a signal is an interruption, any other code
 * is a complete run \param message  the error message, or NULL */
int measure_record_end(measure_record* record, int exit_code, char const* message, measure_error* error);

/* ---- Regions: these functions are in libmeasure-regions ---- */

/** Named sections of an application's code (docs/regions.md). They are off unless the options or the user switch them
 * on. */
typedef struct measure_regions measure_regions;
/** Handle of one region: created once, used at each entry. It lives as long as its measure_regions object. */
typedef struct measure_region measure_region;

/** Settings that a program chooses instead of the environment. The same on all ranks. */
typedef struct measure_regions_options {
    char const* name;           /**< distinguishes this record from others of the program; NULL: no name */
    char const* file;           /**< rank 0 appends the record to it; "": regions off; NULL: the environment decides */
    measure_timer const* timer; /**< the library keeps a copy; NULL: monotonic_raw */
    int64_t samples;            /**< number of random entries whose times are kept, per path and rank, 0 .. 1000000 */
} measure_regions_options;

/** Creates the regions of a communicator, which is duplicated. Collective. If the options have no `file`, the
 * environment variable MEASURE_REGIONS of rank 0 decides whether regions are on. MEASURE_REGIONS_TIMER and
 * MEASURE_REGIONS_SAMPLES, if they are set, then replace the timer and samples of the options. An invalid variable is
 * not an error: rank 0 prints a warning to standard error, and regions are off.
 * \param options  NULL: the environment decides
 * \param size  sizeof *options
 * \return MEASURE_ERROR_ARGUMENT on all ranks for invalid options: a file that cannot be written, or a number of
 *     samples out of range */
int measure_regions_create(measure_comm const* comm, measure_regions_options const* options, size_t size,
                           measure_regions** regions, measure_error* error);
/** Frees the regions and their handles, if they are not NULL. Without an earlier measure_regions_end no record is
 * written. Collective if regions are on. */
void measure_regions_free(measure_regions* regions);
/** Not 0: regions are measured, from their creation to measure_regions_end. 0 for NULL. */
int measure_regions_on(measure_regions const* regions);
/** Gets the region of a name. Equal names give equal handles. Local. Ranks may use different names.
 * \param name  not empty, without '/' */
int measure_regions_get(measure_regions* regions, char const* name, measure_region const** region,
                        measure_error* error);
/** Enters the region. Local. If regions are off or `region` is NULL, this costs one call and one comparison. Entries in
 * threads other than the one that created the regions are not timed; the record states their number. */
void measure_region_begin(measure_region const* region);
/** Leaves the region and all regions inside it. Does nothing if the region is not open. A warning in the record states
 * the number of ends that did not match the innermost open region. */
void measure_region_end(measure_region const* region);
/** Ends measuring and appends the record to the file. Collective, before MPI_Finalize. Does nothing if regions are off
 * or have already ended.
 * \param error  NULL: rank 0 writes the message to standard error
 * \return MEASURE_ERROR_FILE, the same on all ranks, if the record could not be written */
int measure_regions_end(measure_regions* regions, measure_error* error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
