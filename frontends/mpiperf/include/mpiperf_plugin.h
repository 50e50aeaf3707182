/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A plugin adds tests of one's own to mpiperf. It is a shared library with
 *
 *     #include <mpiperf_plugin.h>
 *
 *     ...
 *     MPIPERF_PLUGIN(registry) {
 *         static mpiperf_test const ring = {.name = "RingAllreduce",
 *                                           .text = "sum of c doubles round a ring",
 *                                           .element = sizeof(double),
 *                                           .buffers = buffers,
 *                                           .init = init,
 *                                           .run = run,
 *                                           .verify = verify,
 *                                           .free = release};
 *         return registry->add(registry, &ring);
 *     }
 *
 * and is measured by `mpiperf --plugin ./ring_allreduce.so RingAllreduce`.
 *
 * mpiperf owns clock, starts, buffers and statistics; a test is called on every process of a point, in this order:
 * buffers, init, run as often as it takes, verify, free. Only run is timed.
 * mpiperf_plugin.hpp makes a test of a C++ callable.
 */
#ifndef MPIPERF_PLUGIN_H
#define MPIPERF_PLUGIN_H

#include <mpi.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of this interface: a plugin that was compiled with another one is refused. */
#define MPIPERF_PLUGIN_VERSION 1

/** Room for what init says about its failure, with the closing zero. */
#define MPIPERF_MESSAGE_SIZE 256

/** A point, as one process sees it. */
typedef struct mpiperf_params {
    MPI_Comm comm; /**< the processes of the point; nobody else sends on it; valid until free; returns errors */
    int rank;      /**< of this process in it */
    int size;      /**< its processes */
    int root;      /**< of a rooted test; a run may have another one (--rotate-root) */
    int64_t count; /**< elements, >= 0; 64 bits wide: what goes to MPI's int is to be checked */
    int64_t bytes; /**< count * element */
    char* message; /**< MPIPERF_MESSAGE_SIZE characters: why init has failed */
} mpiperf_params;

/** One execution. */
typedef struct mpiperf_run {
    int64_t index; /**< executions before this one since init, warm-up included; the same on all processes */
    int root;      /**< of this execution */
    void* send;    /**< as long as buffers said; with cold buffers (-d) another block each time */
    void* receive; /**< likewise */
} mpiperf_run;

/** A test. What is NULL is not called; only name and run are obligatory. */
typedef struct mpiperf_test {
    char const* name; /**< without blanks, commas and colons; letter case is ignored where tests are looked for */
    char const* text; /**< its arguments, for people who list the tests; may be NULL */
    int64_t element;  /**< bytes of one of the count; 0: the count is ignored */
    int rooted;       /**< not 0: has a root */
    void* self;       /**< handed to buffers and init */
    /** Bytes of this process's send and receive buffer; both are 0 before. Local. The memory is written to, and each
     * double in it is a normal number. */
    void (*buffers)(void* self, mpiperf_params const* params, int64_t* send, int64_t* receive);
    /** Prepares a point; may communicate. \return MPI_SUCCESS; MPI_ERR_NO_MEM: the point is left out; another code ends
     * the run with the message. \param context  for the functions below; NULL before */
    int (*init)(void* self, mpiperf_params const* params, void** context);
    /** One execution: this is timed. \return MPI_SUCCESS, or another code: the run is invalid on all processes */
    int (*run)(void* context, mpiperf_run const* run);
    /** Fills the buffers, executes once and looks at the result; a point whose result is wrong has no time.
     * Collective. \return MPI_SUCCESS: it is right */
    int (*verify)(void* context, mpiperf_run const* run);
    /** Undoes init. Not called where init has failed. */
    void (*free)(void* context);
} mpiperf_test;

/** Where a plugin puts its tests. */
typedef struct mpiperf_registry mpiperf_registry;
/** Handed to the plugin while it is loaded. */
struct mpiperf_registry {
    void* tests; /**< mpiperf's own */
    /** Takes over a copy of the test, names and texts too. \return 0, or not 0 for a test that cannot be: mpiperf says
     * what is wrong with it */
    int (*add)(mpiperf_registry* registry, mpiperf_test const* test);
};

/** What the loader must find in a plugin. */
#define MPIPERF_EXPORT __attribute__((visibility("default")))

/** What every plugin has, by MPIPERF_PLUGIN: the version that it was compiled with. */
MPIPERF_EXPORT int mpiperf_plugin_version(void);
/** Adds the plugin's tests. \return 0, or not 0 to be refused */
MPIPERF_EXPORT int mpiperf_plugin(mpiperf_registry* registry);

#ifdef __cplusplus
}
#endif

/** Begins the function that adds the plugin's tests; it returns 0, or what is not 0 to be refused. */
#define MPIPERF_PLUGIN(registry)                                                                                       \
    int mpiperf_plugin_version(void) { return MPIPERF_PLUGIN_VERSION; }                                                \
    int mpiperf_plugin(mpiperf_registry* registry)

#endif
