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
 * What all functions have in common:
 *
 * - Objects are opaque: made by a function that stores a pointer to them, and given back to `_free`, which takes NULL
 *   too. Where nothing could be made the pointer is NULL. A `const` argument is not kept, unless it says so.
 * - A function that can fail returns MEASURE_OK or one of the codes below, and explains itself in `*error`, which may
 *   be NULL. A NULL where an object is expected and an unknown name are such errors. What the function would have
 *   filled means nothing then. No exception leaves the library.
 * - "Collective": all ranks of the communicator call it, with the same arguments but for each rank's own objects. If
 *   one rank has a wrong argument, all of them return the error, unless it is the communicator, or the object that
 *   holds it. All other functions are local.
 * - Times are seconds. A number that does not exist is NaN, a text that does not exist is "". Texts end with '\0',
 *   belong to the object that they were asked of, and live as long as it.
 * - A struct that travels has its size beside it (`sizeof`): later versions of the library append fields, and fill or
 *   read what the program was compiled with.
 *
 * The library never calls MPI_Init or MPI_Finalize. Objects are freed before MPI_Finalize; after it a collective call
 * with a communicator of MPI is an error. An object is used by one thread at a time.
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

/** What a function returns. The codes keep their numbers. */
enum measure_code {
    MEASURE_OK = 0,             /**< done */
    MEASURE_ERROR_ARGUMENT = 1, /**< NULL, out of range, an unknown name, a plan that cannot be */
    MEASURE_ERROR_MPI = 2,      /**< a call of the MPI library failed */
    MEASURE_ERROR_BODY = 3,     /**< a callback threw a C++ exception, on any rank */
    MEASURE_ERROR_MEMORY = 4,   /**< there is none left */
    MEASURE_ERROR_FILE = 5,     /**< a record cannot be opened or written */
    MEASURE_ERROR_INTERNAL = 6  /**< a fault of the library */
};

/** Bytes of an error's message, the closing '\0' included. */
#define MEASURE_MESSAGE_SIZE 508

/** Why a function failed; owned by the caller. Its layout is final. */
typedef struct measure_error {
    int code;                           /**< what the function returned */
    char message[MEASURE_MESSAGE_SIZE]; /**< one line without line end, cut where it is too long; "" after success */
} measure_error;

/** Version of the library, "0.1.0". */
char const* measure_version(void);

/* ---- Communicators ---- */

/** A duplicate of a communicator: the caller's is never used, nor is its error handler changed. */
typedef struct measure_comm measure_comm;

/** Duplicates an intra-communicator. Collective over `user`; MPI is initialised. */
int measure_comm_create(MPI_Comm user, measure_comm** comm, measure_error* error);
/** The same for a Fortran handle (an INTEGER, or MPI_VAL of a type(MPI_Comm)). */
int measure_comm_create_fortran(MPI_Fint user, measure_comm** comm, measure_error* error);
/** One rank without MPI: works before MPI_Init. */
int measure_comm_create_solo(measure_comm** comm, measure_error* error);
/** Collective, but for a communicator without MPI. */
void measure_comm_free(measure_comm* comm);
/** -1 for NULL. */
int measure_comm_rank(measure_comm const* comm);
/** 0 for NULL. */
int measure_comm_size(measure_comm const* comm);
/** Not 0: there are more ranks on some host than cores that they may use. Starts slip then, and points are flagged. */
int measure_comm_is_oversubscribed(measure_comm const* comm);

/* ---- Timers ---- */

/** A clock that stamps are read from. Local. */
typedef struct measure_timer measure_timer;

/** What a timer is worth, seen on this rank. */
typedef struct measure_timer_info {
    double frequency;    /**< ticks per second where the clock has such a thing, otherwise 0 */
    double nominal;      /**< step that the clock claims, s */
    double resolution;   /**< smallest step seen, s */
    double granularity;  /**< most frequent step seen, s */
    double overhead;     /**< cost of a reading inside a measurement, s; measure_timer_now costs a call more */
    double overhead_p99; /**< 99th percentile of the same, s */
    int64_t backward;    /**< steps back in time; not 0: the timer is broken */
} measure_timer_info;

/** Names of the machine's timers, separated by blanks. Not every one works everywhere. */
char const* measure_timer_names(void);
/** A timer by its name, any letter case, or "synthetic:BASE,skew=..,ppm=..,quant=..,jitter=..". Collective: "tsc" is
 * calibrated once per host. */
int measure_timer_create(measure_comm const* comm, char const* name, measure_timer** timer, measure_error* error);
/** Frees the timer, if it is not NULL. */
void measure_timer_free(measure_timer* timer);
/** The name that it was made by, in lower case; "" for NULL. */
char const* measure_timer_name(measure_timer const* timer);
/** A stamp. Stamps order like time; what lies between two of them is what measure_timer_seconds says. 0 for NULL. */
int64_t measure_timer_now(measure_timer const* timer);
/** From one stamp of this timer to another, s. NaN for NULL. */
double measure_timer_seconds(measure_timer const* timer, int64_t from, int64_t to);
/** Resolution and cost of a reading; takes up to 50 ms. */
int measure_timer_calibrate(measure_timer const* timer, measure_timer_info* info, size_t size, measure_error* error);

/* ---- Global clock ---- */

/** A timer and its offset to the one of rank 0: "root time" is what that shows, in s since a common origin. Differs on
 * each rank. */
typedef struct measure_clock measure_clock;

/** How the clocks were synchronised; the same on all ranks. */
typedef struct measure_sync_report {
    double duration;      /**< of the synchronisation, s */
    double bound;         /**< largest guaranteed error over ranks, s; NaN where nothing is guaranteed */
    double uncertainty;   /**< largest standard error of a drift model's offset, s; NaN without one */
    double drift;         /**< largest |rate| of a drift model, ppm; NaN without one */
    double closure;       /**< sum of the offsets around a ring, s; NaN otherwise */
    double closure_bound; /**< |closure| above it means a broken pair, s */
    double rtt_min;       /**< a pair's fastest round trip: smallest over pairs, s */
    double rtt_median;    /**< the same: median over pairs, s */
    double rtt_max;       /**< the same: largest over pairs, s */
    double offset_max;    /**< largest |offset| over ranks, s */
    int64_t consistent;   /**< 0: some pair contradicted itself to its last try, or a ring does not close */
    int64_t poor;         /**< pairs whose round trips were long to the last try */
    int64_t hosts;        /**< that the ranks are on */
    int64_t edges;        /**< pairs that were measured */
    int64_t messages;     /**< sent for it */
    int64_t kept;         /**< later synchronisations that were worse without need, and were dropped for this one */
    int64_t shared;       /**< pairs that were measured through the memory of a host */
} measure_sync_report;

/** How a rank left measure_harmonize. */
typedef struct measure_harmony {
    double start;    /**< the common instant, root time */
    double lateness; /**< how long after it this rank went on by its own clock, s; negative: it did not wait */
    int64_t in_time; /**< not 0: within the tolerance of a start */
} measure_harmony;

/** Synchronises the clocks of all ranks. Collective.
 * \param algorithm  "none" "linear" "ring" "ring:plain" "tree" "jk" "hca3" "hier" "auto" "global", any letter case */
int measure_clock_create(measure_comm const* comm, measure_timer const* timer, char const* algorithm,
                         measure_clock** clock, measure_error* error);
/** Frees the clock, if it is not NULL. A plan that has it keeps its copy. */
void measure_clock_free(measure_clock* clock);
/** The algorithm; "auto" is resolved. */
char const* measure_clock_algorithm(measure_clock const* clock);
/** Root time now. NaN for NULL, as all that follows. */
double measure_clock_now(measure_clock const* clock);
/** Root time of a stamp of the clock's timer. */
double measure_clock_to_root(measure_clock const* clock, int64_t stamp);
/** The stamp at which this rank's timer shows the root time. 0 for NULL. */
int64_t measure_clock_to_local(measure_clock const* clock, double root_time);
/** Root time minus local time at the synchronisation, s. */
double measure_clock_offset(measure_clock const* clock);
/** Guaranteed error of this rank's offset when it was measured, s; NaN where nothing is guaranteed. */
double measure_clock_bound(measure_clock const* clock);
/** Standard error of the drift model's offset now, s; NaN without a drift model. */
double measure_clock_uncertainty(measure_clock const* clock);
/** Time since the synchronisation, s. */
double measure_clock_age(measure_clock const* clock);
/** How the synchronisation went. \param size  sizeof *report */
int measure_clock_report(measure_clock const* clock, measure_sync_report* report, size_t size, measure_error* error);
/** Measures the offsets again: what the clocks have drifted apart since, or are apart where they were not synchronised,
 * s. Collective over the communicator of the clock. \param largest, rms  over ranks; NaN for one rank; may be NULL */
int measure_clock_residual(measure_comm const* comm, measure_clock const* clock, double* largest, double* rms,
                           measure_error* error);
/** Returns on all ranks at one instant of root time. Collective over the communicator of the clock.
 * \param ahead  from the root's broadcast to the instant, s, >= 0; 0: as long as ten broadcasts show to be needed */
int measure_harmonize(measure_comm const* comm, measure_clock const* clock, double ahead, measure_harmony* harmony,
                      size_t size, measure_error* error);

/* ---- Plans ---- */

/** How to measure. What is not set is what the pattern says. A setting that fails is remembered: a run by a plan of
 * which something could not be set fails with that error, so that settings need not be looked at one by one. */
typedef struct measure_plan measure_plan;

/** \param pattern  "default": slots, or round-time on more ranks than cores; "slotted": collectives with synchronised
 * starts; "collective": after a barrier, timed by the root; "ping_pong": two ranks that answer each other; "simple": a
 * local operation of the root. An unknown name is remembered like a setting that fails: there is a plan, and a run by
 * it fails with this error */
int measure_plan_create(char const* pattern, measure_plan** plan, measure_error* error);
/** Frees the plan, if it is not NULL. */
void measure_plan_free(measure_plan* plan);

/** Sets a choice. Names and values in any letter case:
 *
 *     start       auto free barrier dissemination slot roundtime
 *     sync        none linear ring ring:plain tree jk hca3 hier auto global  of starts by the clock
 *     combine     root max min mean span                              which number of a sample counts, over ranks
 *     correction  none empty_loop barrier                             what is measured as overhead, beside the value
 *     keep        summary ranks samples                               what is kept
 *     slot_rule   doubling paper                                      how slots grow; "paper": the MPIPerf paper's
 *     error       winsorized over_sqrt_n over_sqrt_kept               which standard error leads
 */
int measure_plan_set_text(measure_plan* plan, char const* name, char const* value, measure_error* error);

/** Sets a number. The first five say when a measurement has converged; the last one set counts:
 *
 *     interval        > 0        half the width of the median's interval over the median, sustained over two stages;
 *                                by default 0.02 for the patterns default and slotted
 *     relative_error  > 0        standard error over mean
 *     skampi          > 0        the rule of the SKaMPI paper, by the error over the trimmed mean; by
 *                                default 0.03 for the other patterns
 *     count           >= 1       valid samples
 *     duration        > 0  s     samples for so long
 *
 *     at_least        >= 0       valid samples before that can be (for count: samples tried); by default 16 for
 *                                interval, 10 for relative_error, 8 for skampi, otherwise 0
 *     at_most         >= 1       samples tried (for skampi: valid ones); then the measurement is exhausted. By default
 *                                100, for count ten times that if this is more, for skampi 1000
 *     time_budget     > 0  s     per epoch; then it is exhausted
 *     warm_up         >= 0       samples that are thrown away
 *     settle          0 or 1     go on warming up until page faults have ended and times stand still; by default 1
 *     limit           > 0  s     after so long the point ends, once 3 samples are valid; by default 10
 *     stage           >= 1       samples between two decisions
 *     epochs          >= 1       how often all is measured from a new synchronisation on
 *     iterations      >= 1       calls of the body in one sample
 *     window          > 0  s     as many calls as make a sample last so long, within a factor of two
 *     trim            0 .. 0.5   share of the samples cut at each end
 *     confidence      0 < c < 1  of the intervals
 *     slot_growth     1.1 .. 2   by which slots grow that were too short
 *     invalid_share   0 .. 1     of invalid samples in a stage that is taken without longer slots
 *     broadcast_factor > 0       factor on the time of a broadcast
 *     resync_after    > 0  s     age at which a clock is too old
 *     check_clocks    0 or 1     measure the offsets again after the point
 *     start_falls_back 0 or 1    measure a point of which slots lose every sample again after barriers; by default 1
 */
int measure_plan_set_number(measure_plan* plan, char const* name, double value, measure_error* error);
/** The timer to measure with; a copy is kept. Without one it is mpi_wtime. */
int measure_plan_set_timer(measure_plan* plan, measure_timer const* timer, measure_error* error);
/** A clock of the same communicator and of the plan's timer, to be used as long as it is young enough; a copy is kept.
 */
int measure_plan_set_clock(measure_plan* plan, measure_clock const* clock, measure_error* error);

/* ---- Measurements ---- */

/** Which execution of the body this is. Its layout is final. */
typedef struct measure_iteration {
    int64_t index;  /**< executions before this one in this epoch, warm-up included */
    int64_t sample; /**< attempt, from 0; during warm-up -1, -2, .. */
} measure_iteration;

/** What is measured. body is obligatory, the others may be NULL. A callback written in C++ may throw: that ends the
 * measurement with one MEASURE_ERROR_BODY on all ranks. No callback may leave by longjmp. */
typedef struct measure_operation {
    /** Timed. \return 0; anything else: the operation has failed, and the sample is invalid on all ranks */
    int (*body)(void* context, measure_iteration iteration);
    /** Once at the end of each sample, timed: an acknowledgement, a wait for all. Returns like body. */
    int (*finish)(void* context);
    /** Before each sample, not timed: a cache flush. With slots it shares the slot. */
    void (*prepare)(void* context, measure_iteration iteration);
    void* context; /**< handed to the callbacks; each rank's own */
} measure_operation;

/** What came out of a measurement. */
typedef struct measure_result measure_result;

/** Numbers of a measurement, on the root; elsewhere all are NaN. Seconds per iteration. */
typedef struct measure_estimate {
    double value;                         /**< the headline: trimmed mean, or mean over epochs */
    double standard_error;                /**< of value */
    double confidence;                    /**< of the intervals */
    double interval_low;                  /**< low end of the interval of value */
    double interval_high;                 /**< high end of the same */
    double median;                        /**< of the untrimmed samples, as all up to effective_samples */
    double median_low;                    /**< low end of its non-parametric interval */
    double median_high;                   /**< high end of the same */
    double min;                           /**< the shortest sample */
    double max;                           /**< the longest sample */
    double quantile_05;                   /**< 5 % of the samples are shorter */
    double quantile_25;                   /**< the lower quartile */
    double quantile_75;                   /**< the upper quartile */
    double quantile_95;                   /**< 5 % of the samples are longer */
    double relative_standard_error;       /**< standard deviation / sqrt(samples) / mean, a plain number */
    double skewness;                      /**< 0 if symmetric, > 0 for a tail of long times */
    double autocorrelation;               /**< lag 1 */
    double effective_samples;             /**< what the samples are worth, given that */
    double ranks_min;                     /**< the smallest of the ranks' own means */
    double ranks_mean;                    /**< their mean */
    double ranks_max;                     /**< the largest of them */
    double span;                          /**< last end minus first begin; synchronised clocks only, as the next two */
    double start_imbalance;               /**< latest minus earliest begin */
    double exit_imbalance;                /**< latest minus earliest end */
    double correction;                    /**< of an empty sample: not subtracted from value */
    double corrected;                     /**< value less each rank's own correction */
    double sync_bound;                    /**< guaranteed error of the clocks */
    double sync_age;                      /**< at the end */
    double sync_residual;                 /**< largest difference when the offsets were measured again */
    double elapsed;                       /**< that the measurement took, s */
    double kept_min;                      /**< smallest of the samples that the mean is made of */
    double kept_max;                      /**< largest of the samples that the mean is made of */
    double standard_error_over_sqrt_n;    /**< standard error: s of the kept samples / sqrt(valid) */
    double standard_error_over_sqrt_kept; /**< the same: s of the kept samples / sqrt(kept) */
    double standard_error_winsorized;     /**< the same, Winsorised: leads unless asked otherwise */
    double first_call;                    /**< the first call of the warm-up on the root, s */
    double second_call;                   /**< the second call there, s */
    double broadcast_bound;               /**< time allowed for telling all ranks the first start, s */
    double relative_mad;                  /**< median distance of all valid samples from their median / median */
    double clock_step;                    /**< step of the clock, per iteration; 0: not known */
    double middle;                        /**< mean of the middle half; of medians below 100 steps */
} measure_estimate;

/** What became of the samples; the same on all ranks. */
typedef struct measure_counts {
    int64_t attempts;              /**< samples tried, warm-up not counted: valid and all that are invalid */
    int64_t valid;                 /**< samples that are valid */
    int64_t kept;                  /**< of the valid ones after trimming */
    int64_t late;                  /**< invalid: the start was past when the rank looked */
    int64_t overrun;               /**< invalid: ended after its slot */
    int64_t slip;                  /**< invalid: left the wait too late */
    int64_t failed;                /**< invalid: the body said so */
    int64_t iterations_per_sample; /**< calls of the body between two clock readings */
    int64_t backward;              /**< the clock went back in between */
    int64_t lost_in_slots;         /**< invalid samples before the start fell back to barriers */
} measure_counts;

/** One rank's own view, over the valid samples. Seconds per iteration. */
typedef struct measure_rank_summary {
    int64_t rank;          /**< in the communicator of the measurement */
    int64_t valid;         /**< samples; the same on all ranks */
    double mean;           /**< of the rank's durations, as all that follows */
    double standard_error; /**< of mean; NaN for fewer than two samples */
    double median;         /**< the middle duration */
    double min;            /**< the shortest duration */
    double max;            /**< the longest duration */
    double kept_mean;      /**< over the samples that the estimate keeps */
} measure_rank_summary;

/** One sample over ranks. Seconds per iteration. */
typedef struct measure_sample {
    double time;            /**< the number that counts (combine); also of an invalid sample */
    double span;            /**< NaN without synchronised clocks */
    int64_t stage;          /**< 1, 2, .. */
    int64_t invalid;        /**< a measure_invalid_reason */
    int64_t iterations;     /**< executions between its two readings, of the root */
    double start_imbalance; /**< latest minus earliest begin */
    double exit_imbalance;  /**< latest minus earliest end */
} measure_sample;

/** Why a sample is invalid. The numbers stay. */
enum measure_invalid_reason {
    MEASURE_VALID = 0,   /**< the sample is valid */
    MEASURE_OVERRUN = 1, /**< ended after its slot */
    MEASURE_SLIP = 2,    /**< left the wait too late: pre-empted inside the spin */
    MEASURE_LATE = 3,    /**< the start was past when the rank looked */
    MEASURE_FAILED = 4,  /**< the body said so */
    MEASURE_BACKWARD = 5 /**< a rank's clock went back in the sample or its wait; a time below 0 is given as 0 */
};

/** Measures an operation by a plan. Collective. The library adds one call through a pointer to each iteration.
 * \param size  sizeof *operation */
int measure_run(measure_comm const* comm, measure_plan const* plan, measure_operation const* operation, size_t size,
                measure_result** result, measure_error* error);
/** Frees the result, if it is not NULL. */
void measure_result_free(measure_result* result);
/** Value, errors and what else is known of the times. \param size  sizeof *estimate */
int measure_result_estimate(measure_result const* result, measure_estimate* estimate, size_t size,
                            measure_error* error);
/** How many samples there were, and what became of them. \param size  sizeof *counts */
int measure_result_counts(measure_result const* result, measure_counts* counts, size_t size, measure_error* error);
/** This rank's summary. */
int measure_result_mine(measure_result const* result, measure_rank_summary* summary, size_t size, measure_error* error);
/** The summary of any rank: on the root, by a plan whose keep is ranks or samples. */
int measure_result_rank(measure_result const* result, int rank, measure_rank_summary* summary, size_t size,
                        measure_error* error);
/** A sample, valid or invalid: on the root, by a plan whose keep is samples. \param index  0 .. attempts - 1 */
int measure_result_sample(measure_result const* result, int64_t index, measure_sample* sample, size_t size,
                          measure_error* error);
/** "converged" "exhausted" "no_valid_samples". The same on all ranks, as stop reason and message. */
char const* measure_result_verdict(measure_result const* result);
/** What stopped it: "interval" "relative_error" "count" "clock_step" "budget" "exhausted". */
char const* measure_result_stop_reason(measure_result const* result);
/** A sentence for people where something went wrong. */
char const* measure_result_message(measure_result const* result);
/** How samples began: "free" "barrier" "dissemination" "slot" "roundtime". */
char const* measure_result_start(measure_result const* result);
/** Marks such as "oversubscribed near_timer_floor", separated by blanks. Complete on the root. */
char const* measure_result_flags(measure_result const* result);
/** The estimate with its error, the valid samples and the reason as one line. Complete on the root. */
char const* measure_result_text(measure_result const* result);

/* ---- Records ---- */

/** Where something was measured: named coordinates in the order given. What cannot be set is remembered as in a plan.
 */
typedef struct measure_point measure_point;

/** A point without coordinates. */
int measure_point_create(measure_point** point, measure_error* error);
/** Frees the point, if it is not NULL. */
void measure_point_free(measure_point* point);
/** Adds or replaces a coordinate. "bytes" and "ranks" mean the size of the data and the number of ranks. */
int measure_point_set_integer(measure_point* point, char const* name, int64_t value, measure_error* error);
/** \param value  finite */
int measure_point_set_number(measure_point* point, char const* name, double value, measure_error* error);
/** Adds or replaces a coordinate that is a text. \param value  may be empty, not NULL */
int measure_point_set_text(measure_point* point, char const* name, char const* value, measure_error* error);

/** A file of records, one line of JSON each (docs/records.md). Rank 0 writes, each line at once. */
typedef struct measure_record measure_record;

/** Opens the file anew and writes the line of the run: machine, MPI library, timer, settings of the plan. A file that
 * another run writes is refused (MEASURE_ERROR_FILE) and stays as it is. Collective.
 * \param comm     is kept, and outlives the record
 * \param path     "-" is standard output; read on the root only
 * \param program  its name
 * \param argc, argv  of main, or 0 and NULL */
int measure_record_open(measure_comm const* comm, measure_plan const* plan, char const* path, char const* program,
                        int argc, char* const* argv, measure_record** record, measure_error* error);
/** Closes the file. A record without measure_record_end says that its run was killed. */
void measure_record_free(measure_record* record);
/** Writes a measured point: its time. On the root; the other ranks do nothing here, nor in the next two.
 * \param at  NULL: no coordinates */
int measure_record_point(measure_record* record, char const* benchmark, measure_point const* at,
                         measure_result const* result, measure_error* error);
/** The same as a rate: work per iteration over its time.
 * \param quantity  "bandwidth" (work is bytes), "rate" (things), "flops"  \param work  > 0 */
int measure_record_rate(measure_record* record, char const* benchmark, measure_point const* at,
                        measure_result const* result, char const* quantity, double work, measure_error* error);
/** Writes a point that has no number. \param status  "skipped", "crashed"  \param reason  a sentence, not empty */
int measure_record_missing(measure_record* record, char const* benchmark, measure_point const* at, char const* status,
                           char const* reason, measure_error* error);
/** Writes the last line; nothing can be written after it. Collective: if any line could not be written, all ranks
 * return MEASURE_ERROR_FILE. \param exit_code  of the program, 0 .. 255: 1 and 2 are failures, 128 + a signal an
 * interruption, anything else a complete run  \param message  the error, or NULL */
int measure_record_end(measure_record* record, int exit_code, char const* message, measure_error* error);

/* ---- Regions: these functions are in libmeasure-regions ---- */

/** Named stretches of an application's own code (docs/regions.md): off unless a user asks for them. */
typedef struct measure_regions measure_regions;
/** Handle of one region: made once, used at each entry; it lives as long as its regions. */
typedef struct measure_region measure_region;

/** What a program asks for itself, in place of the environment. The same on all ranks. */
typedef struct measure_regions_options {
    char const* name;           /**< tells these regions' record from others of the program; NULL: no name */
    char const* file;           /**< to which rank 0 appends the record; "": off; NULL: the environment decides */
    measure_timer const* timer; /**< a copy is kept; NULL: monotonic_raw */
    int64_t samples;            /**< so many entries of each path and rank are kept, 0 .. 1000000 */
} measure_regions_options;

/** Regions of a communicator, which is duplicated. Collective. Off or on as the options say, or else the environment
 * variable MEASURE_REGIONS of rank 0, which then goes before the options' timer and samples as well. A variable that
 * asks for something impossible is no error: rank 0 warns on standard error, and regions are off. \param options  NULL:
 * the environment decides  \param size  sizeof *options \return MEASURE_ERROR_ARGUMENT on all ranks for options that
 * cannot be: a file that cannot be written, a wrong number of samples */
int measure_regions_create(measure_comm const* comm, measure_regions_options const* options, size_t size,
                           measure_regions** regions, measure_error* error);
/** Frees the regions and their handles, if they are not NULL: without measure_regions_end they leave no record.
 * Collective where they are on. */
void measure_regions_free(measure_regions* regions);
/** Not 0: something is measured, from the creation to measure_regions_end. Never for NULL. */
int measure_regions_on(measure_regions const* regions);
/** The region of that name; the same name is the same handle. Local; ranks need not have the same names.
 * \param name  not empty, without '/' */
int measure_regions_get(measure_regions* regions, char const* name, measure_region const** region,
                        measure_error* error);
/** In the region from now on. Local; a call and a comparison where regions are off, and where `region` is NULL. Entries
 * of other threads than the one that created the regions are ignored and counted. */
void measure_region_begin(measure_region const* region);
/** Leaves the region, and those inside it. One that is not open is counted, and the record warns of it. */
void measure_region_end(measure_region const* region);
/** Ends measuring and appends the record to the file. Collective, before MPI_Finalize. Does nothing where regions are
 * off or ended.
 * \param error  NULL: rank 0 writes the message to standard error
 * \return MEASURE_ERROR_FILE, the same on all ranks, where there is no record */
int measure_regions_end(measure_regions* regions, measure_error* error);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
