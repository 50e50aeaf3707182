/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A plugin adds your own tests to mpiperf. It is a shared library with
 *
 *     #include <mpiperf_plugin.h>
 *
 *     ...
 *     MPIPERF_PLUGIN(registry) {
 *         static mpiperf_test const ring = {.name = "RingAllreduce",
 *                                           .text = "sum of c doubles around a ring",
 *                                           .element = sizeof(double),
 *                                           .buffers = buffers,
 *                                           .init = init,
 *                                           .run = run,
 *                                           .verify = verify,
 *                                           .free = release};
 *         return registry->add(registry, &ring);
 *     }
 *
 * and is run by `mpiperf --plugin ./ring_allreduce.so RingAllreduce`.
 *
 * mpiperf provides the clock, the starts, the buffers and the statistics. On every process of a point it calls the
 * functions of a test in this order: buffers, init, run (as often as needed), verify, free. Only run is timed.
 * mpiperf_plugin.hpp makes a test from a C++ callable.
 */
#ifndef MPIPERF_PLUGIN_H
#define MPIPERF_PLUGIN_H

#include <mpi.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. A plugin compiled with another version is refused. */
#define MPIPERF_PLUGIN_VERSION 1

/** Size of the buffer for the error message of init, in bytes, including the final zero. */
#define MPIPERF_MESSAGE_SIZE 256

/** A point from the view of one process. */
typedef struct mpiperf_params {
    MPI_Comm comm; /**< processes of the point; not used by others; valid until free; errors are returned */
    int rank;      /**< rank of this process in comm */
    int size;      /**< number of processes in comm */
    int root;      /**< root of a rooted test; a run may use another root (--rotate-root) */
    int64_t count; /**< elements, >= 0; 64 bits wide: check before passing it to MPI as an int */
    int64_t bytes; /**< count * element */
    char* message; /**< room for MPIPERF_MESSAGE_SIZE characters: the reason why init failed */
} mpiperf_params;

/** One execution of the operation. */
typedef struct mpiperf_run {
    int64_t index; /**< executions since init before this one, including warm-up; equal on all processes */
    int root;      /**< root of this execution */
    void* send;    /**< send buffer of the requested size; with cold buffers (-d) a different block each time */
    void* receive; /**< receive buffer, in the same way */
} mpiperf_run;

/** A test. Functions that are NULL are not called. Only name and run are required. */
typedef struct mpiperf_test {
    char const* name; /**< without blanks, commas and colons; letter case is ignored */
    char const* text; /**< short description of the arguments for the list of tests; may be NULL */
    int64_t element;  /**< size of an element in bytes; 0: the count is ignored */
    int rooted;       /**< nonzero: the test has a root */
    void* self;       /**< passed to buffers and init */
    /** Sets the sizes of this process's send and receive buffer, in bytes; both are 0 on entry. Local. The memory is
     * initialised, and read as doubles it has only normal numbers. */
    void (*buffers)(void* self, mpiperf_params const* params, int64_t* send, int64_t* receive);
    /** Prepares a point; may communicate. \return MPI_SUCCESS; MPI_ERR_NO_MEM to skip the point; another code ends the
     * run with the message. \param context  passed to the functions below; NULL on entry */
    int (*init)(void* self, mpiperf_params const* params, void** context);
    /** Executes the operation once. This is timed. \return MPI_SUCCESS; another code makes the run invalid on all
     * processes */
    int (*run)(void* context, mpiperf_run const* run);
    /** Fills the buffers, executes once and checks the result. A point with a wrong result has no time.
     * Collective. \return MPI_SUCCESS if the result is correct */
    int (*verify)(void* context, mpiperf_run const* run);
    /** Undoes init. Not called if init has failed. */
    void (*free)(void* context);
} mpiperf_test;

/** The registry to which a plugin adds its tests. */
typedef struct mpiperf_registry mpiperf_registry;
/** Passed to the plugin while it is loaded. */
struct mpiperf_registry {
    void* tests; /**< private to mpiperf */
    /** Adds a copy of the test, including its name and text. \return 0; nonzero for an invalid test, which mpiperf
     * reports */
    int (*add)(mpiperf_registry* registry, mpiperf_test const* test);
};

/** Makes a function visible to the loader. */
#define MPIPERF_EXPORT __attribute__((visibility("default")))

/** Returns the version that the plugin was compiled with. MPIPERF_PLUGIN defines it in every plugin. */
MPIPERF_EXPORT int mpiperf_plugin_version(void);
/** Adds the plugin's tests. \return 0; nonzero to refuse loading */
MPIPERF_EXPORT int mpiperf_plugin(mpiperf_registry* registry);

#ifdef __cplusplus
}
#endif

/** Begins the function that adds the plugin's tests. It returns 0, or nonzero to refuse loading. */
#define MPIPERF_PLUGIN(registry)                                                                                       \
    int mpiperf_plugin_version(void) { return MPIPERF_PLUGIN_VERSION; }                                                \
    int mpiperf_plugin(mpiperf_registry* registry)

#endif
